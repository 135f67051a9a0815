import { accountId, type PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'

/** A paywall's Stripe credentials, and the prices that exist in its Stripe account, in Stripe's units of the currency. */
export interface StripeAccount extends PaywallOf {
  paywallName: string
  secretKey: string
  prices: SoldPrice[]
}

export const idOfKey = (secretKey: string) => accountId('acct_', secretKey)
