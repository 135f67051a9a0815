import { hash } from 'node:crypto'
import type { SoldPrice } from './selling-records.ts'

/**
 * What an emulator knows of a paywall, whatever the processor: its webhooks' address has the id. The name and the prices are
 * known of processors that have prices.
 */
export interface AnyPaywall {
  paywallId: string
  paywallName?: string
  prices?: SoldPrice[]
}

/** One account at the processor: every paywall that uses the same secret key. */
export interface Account<Paywall extends AnyPaywall> {
  id: string
  paywalls: Paywall[]
}

/** Groups paywalls into accounts, by id. */
export function groupAccounts<Paywall extends AnyPaywall>(
  paywalls: Paywall[],
  idOf: (paywall: Paywall) => string,
): Map<string, Account<Paywall>> {
  const grouped = Map.groupBy(paywalls, idOf)
  return new Map([...grouped].map(([id, ofAccount]) => [id, { id, paywalls: ofAccount }]))
}

/** An account's id, made of its key's hash: the same after a restart, and the key cannot be read from it. */
export const accountId = (prefix: string, secretKey: string) => `${prefix}${hash('sha256', secretKey).slice(0, 16)}`
