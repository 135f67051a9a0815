import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { accountId, type PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { paywallsOf } from '../core/paywalls.ts'
import { decimalsAtStripe } from './currencies.ts'

/** A paywall's Stripe credentials, and the prices that exist in its Stripe account, in Stripe's units of the currency. */
export interface StripeAccount extends PaywallOf {
  paywallName: string
  secretKey: string
  prices: SoldPrice[]
}

export const idOfKey = (secretKey: string) => accountId('acct_', secretKey)

/** Credentials as Stripe makes them, for a demo. */
export const demoCredentials = () => ({
  secretKey: `sk_test_${randomHex(24)}`,
  webhookSecret: `whsec_${randomHex(24)}`,
})

/** The Stripe accounts that the emulator is to have: each paywall's credentials, and the prices that exist at Stripe. */
export const accountsOf = (files: PaywallFile[]): StripeAccount[] =>
  paywallsOf(files, 'stripe', decimalsAtStripe).map(({ credentials, ...paywall }) => ({ ...paywall, ...credentials }))
