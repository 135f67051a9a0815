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
