import { hash } from 'node:crypto'
import type { SoldPrice } from './selling-records.ts'

/**
 * What an emulator knows of a paywall, whatever the processor: its webhooks' address has the id, the secret signs them.
 * The name and the prices are known of processors that have prices.
 */
export interface PaywallOf {
  paywallId: string
  webhookSecret: string
  paywallName?: string
  prices?: SoldPrice[]
}

/** One account at the processor: every paywall that uses the same secret key. */
export interface AccountOf<Paywall extends PaywallOf> {
  id: string
  paywalls: Paywall[]
}

/** Groups paywalls into accounts, by id. */
export function groupAccounts<Paywall extends PaywallOf>(
  paywalls: Paywall[],
  idOf: (paywall: Paywall) => string,
): Map<string, AccountOf<Paywall>> {
  const grouped = Map.groupBy(paywalls, idOf)
  return new Map([...grouped].map(([id, ofAccount]) => [id, { id, paywalls: ofAccount }]))
}

/** An account's id, made of its key's hash: the same after a restart, and the key cannot be read from it. */
export const accountId = (prefix: string, secretKey: string) => `${prefix}${hash('sha256', secretKey).slice(0, 16)}`

/** A price of an account, and the paywall that sells it. */
export function findPrice<Paywall extends PaywallOf>({ paywalls }: AccountOf<Paywall>, priceId: string) {
  for (const seller of paywalls) {
    const price = seller.prices?.find(({ id }) => id === priceId)
    if (price) return { price, seller }
  }
  return null
}
