import { hash } from 'node:crypto'
import type { SoldPrice } from './selling-records.ts'

/**
 * The data about a paywall that every emulator has. The webhook URL contains its id. Name and prices exist for processors that have
 * prices.
 */
export interface AnyPaywall {
  paywallId: string
  paywallName?: string
  prices?: SoldPrice[]
  discounts?: EnteredDiscount[]
}

/** A discount as its owner made it at the processor, such as a coupon. `amount` is in the processor's units. */
export interface EnteredDiscount {
  id: string
  title: string
  percent: number | null
  amount: number | null
  currency: string | null
  /** For how many periods of how long; `once` for a one-time price. */
  lasts: 'once' | 'forever' | { periods: number; interval: NonNullable<SoldPrice['interval']>; intervalCount: number }
}

/** An account at the processor: all paywalls with the same secret key. */
export interface Account<Paywall extends AnyPaywall> {
  id: string
  paywalls: Paywall[]
}

/** Groups paywalls into accounts, by id. */
export function groupAccounts<Paywall extends AnyPaywall>(
  paywalls: Paywall[],
  toId: (paywall: Paywall) => string,
): Map<string, Account<Paywall>> {
  const grouped = Map.groupBy(paywalls, toId)
  return new Map([...grouped].map(([id, ofAccount]) => [id, { id, paywalls: ofAccount }]))
}

/** An account's id, derived from the hash of its key: stable across restarts, without revealing the key. */
export const accountId = (prefix: string, secretKey: string) => `${prefix}${hash('sha256', secretKey).slice(0, 16)}`
