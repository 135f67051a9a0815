import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { accountId, type PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { paywallsOf } from '../core/paywalls.ts'
import { decimalsAtChargebee } from './currencies.ts'

/**
 * A paywall's Chargebee credentials, and the item prices that exist on its site, in Chargebee's units. Webhooks are not signed:
 * `webhookSecret` is the password that is sent along.
 */
export interface ChargebeeAccount extends PaywallOf {
  paywallName: string
  site: string
  apiKey: string
  webhookUser: string
  prices: SoldPrice[]
}

/** All sites share the emulator's address, so the API key alone says which one is meant. */
export const idOfKey = (apiKey: string) => accountId('site_', apiKey)

/** Credentials as an owner has them of Chargebee, for a demo. */
export const demoCredentials = () => ({
  site: `acme-${randomHex(4)}-test`,
  apiKey: `test_${randomHex(20)}`,
  webhookUser: `hooks-${randomHex(4)}`,
  webhookPassword: randomHex(24),
})

/** The sites that the emulator is to have: each paywall's credentials, and the item prices that its owner has made. */
export const accountsOf = (files: PaywallFile[]): ChargebeeAccount[] =>
  paywallsOf(files, 'chargebee', decimalsAtChargebee).map(({ credentials, ...paywall }) => {
    const { webhookPassword: webhookSecret, ...rest } = credentials
    return { ...paywall, ...rest, webhookSecret }
  })
