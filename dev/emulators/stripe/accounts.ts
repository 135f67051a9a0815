import { hash } from 'node:crypto'

/** What the emulator knows of one paywall: its Stripe credentials and the prices that exist in its Stripe account. */
export interface StripeAccount {
  paywallId: string
  paywallName: string
  secretKey: string
  webhookSecret: string
  prices: StripePrice[]
}

/** `amount` in minor units; `interval` null: a one-time price. */
export interface StripePrice {
  id: string
  label: string
  currency: string
  amount: number
  interval: 'day' | 'week' | 'month' | 'year' | null
  intervalCount: number | null
}

/** One Stripe account: every paywall that uses the same secret key. */
export interface Account {
  id: string
  paywalls: StripeAccount[]
}

/** Groups paywalls into Stripe accounts, by id. The id is the same after a restart and tells nothing of the key. */
export function groupAccounts(paywalls: StripeAccount[]): Map<string, Account> {
  const accounts = new Map<string, Account>()
  for (const paywall of paywalls) {
    const id = accountId(paywall.secretKey)
    const account = accounts.get(id) ?? { id, paywalls: [] }
    account.paywalls.push(paywall)
    accounts.set(id, account)
  }
  return accounts
}

export function accountId(secretKey: string): string {
  return `acct_${hash('sha256', secretKey).slice(0, 16)}`
}

export function findPrice(account: Account, priceId: string): { price: StripePrice; seller: StripeAccount } | null {
  for (const seller of account.paywalls) {
    const price = seller.prices.find(({ id }) => id === priceId)
    if (price) return { price, seller }
  }
  return null
}
