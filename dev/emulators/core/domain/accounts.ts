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
  /** Whether it is for subscribers who cancel. */
  isToStay: boolean
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

/** A discount that the paywall files of an account name. */
export const findEntered = ({ paywalls }: Account<AnyPaywall>, id: string): EnteredDiscount | undefined =>
  paywalls.flatMap(({ discounts = [] }) => discounts).find((each) => each.id === id)

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

const MONTHS = { month: 1, year: 12 }

/** How long a discount lasts at a processor that repeats it for a number of months. */
export function toDuration(lasts: EnteredDiscount['lasts']) {
  if (typeof lasts === 'string') return { duration: lasts, duration_in_months: null }
  const { periods, interval, intervalCount } = lasts
  if (periods === 1) return { duration: 'once' as const, duration_in_months: null }
  if (interval !== 'month' && interval !== 'year')
    throw new Error(`no number of months is ${periods} times a ${interval}`)
  return { duration: 'repeating' as const, duration_in_months: periods * intervalCount * MONTHS[interval] }
}

export const months = (intervalCount: number) => ({ interval: 'month' as const, intervalCount })
