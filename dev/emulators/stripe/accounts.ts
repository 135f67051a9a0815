import type { AccountOf, PaywallOf } from '../core/accounts.ts'

/** A paywall's Stripe credentials, and the prices that exist in its Stripe account. */
export interface StripeAccount extends PaywallOf {
  paywallName: string
  secretKey: string
  prices: StripePrice[]
}

/** `amount` in Stripe's units of the currency; `interval` null: a one-time price. */
export interface StripePrice {
  id: string
  label: string
  currency: string
  amount: number
  interval: 'day' | 'week' | 'month' | 'year' | null
  intervalCount: number | null
}

export type Account = AccountOf<StripeAccount>

/** What Stripe's account ids start with. */
export const ACCOUNT_PREFIX = 'acct_'

export function findPrice(account: Account, priceId: string): { price: StripePrice; seller: StripeAccount } | null {
  for (const seller of account.paywalls) {
    const price = seller.prices.find(({ id }) => id === priceId)
    if (price) return { price, seller }
  }
  return null
}
