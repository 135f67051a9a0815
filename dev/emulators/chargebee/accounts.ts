import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { accountId } from '../core/domain/accounts.ts'
import { listPaywalls, type SellerOf } from '../core/paywalls.ts'
import { decimalsAtChargebee } from './currencies.ts'

/** A paywall's Chargebee credentials, and the item prices that exist on its site. */
export type ChargebeeAccount = SellerOf<'chargebee'>

/** All sites share the emulator's address, so the API key alone says which one is meant. */
export const toAccountId = (apiKey: string) => accountId('site_', apiKey)

/** Credentials as an owner has them of Chargebee, for a demo. */
export const demoCredentials = () => ({
  site: `acme-${randomHex(4)}-test`,
  apiKey: `test_${randomHex(20)}`,
  webhookUser: `hooks-${randomHex(4)}`,
  webhookPassword: randomHex(24),
})

/** The sites that the emulator is to have, with the item prices that their owners have made, in Chargebee's units. */
export const listAccounts = (files: PaywallFile[]): ChargebeeAccount[] =>
  listPaywalls(files, 'chargebee', { currencyDecimals: decimalsAtChargebee })
