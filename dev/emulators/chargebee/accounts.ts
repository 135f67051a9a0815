import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { accountId } from '../core/domain/accounts.ts'
import { listPaywalls, type SellerOf } from '../core/paywalls.ts'
import { decimalsAtChargebee } from './currencies.ts'

/** A paywall's Chargebee credentials, and the item prices that exist on its site. */
export type ChargebeeAccount = SellerOf<'chargebee'>

/** All sites share the emulator's address, so only the API key identifies a site. */
export const toAccountId = (apiKey: string) => accountId('site_', apiKey)

/** Credentials in Chargebee's format, for a demo. */
export const demoCredentials = () => ({
  site: `acme-${randomHex(4)}-test`,
  apiKey: `test_${randomHex(20)}`,
  webhookUser: `hooks-${randomHex(4)}`,
  webhookPassword: randomHex(24),
})

/** The emulator's sites, with the item prices that exist there, in Chargebee's units. */
export const listAccounts = (files: PaywallFile[]): ChargebeeAccount[] =>
  listPaywalls(files, 'chargebee', { currencyDecimals: decimalsAtChargebee })
