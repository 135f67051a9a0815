import { hash } from 'node:crypto'
import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import type { AccountOf, PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { paywallsOf } from '../core/paywalls.ts'

/**
 * A paywall's Polar credentials, and what its organisation sells: a product has one price for each currency, so the prices
 * of a product have its id. Amounts are in Polar's units, currencies in lower case as Polar writes them.
 */
export interface PolarAccount extends PaywallOf {
  paywallName: string
  accessToken: string
  prices: SoldPrice[]
}

/** An organisation: in the emulator every token has one of its own. */
export const idOfToken = (accessToken: string) => uuidOf(`organization ${accessToken}`)

/** A UUID that is the same for the same text. */
export function uuidOf(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The price of a product in a currency; in any, if none is named. */
export function priceOf(account: AccountOf<PaywallOf>, productId: string, currency?: string): SoldPrice | undefined {
  return account.paywalls
    .flatMap(({ prices = [] }) => prices)
    .find((price) => price.id === productId && (currency === undefined || price.currency === currency))
}

/** Credentials as Polar makes them, for a demo. */
export const demoCredentials = () => ({
  accessToken: `polar_oat_${randomHex(20)}`,
  webhookSecret: `polar_whs_${randomHex(20)}`,
})

/** The Polar accounts that the emulator is to have: each paywall's credentials, and the products that exist at Polar. */
export const accountsOf = (files: PaywallFile[]): PolarAccount[] =>
  paywallsOf(files, 'polar').map(({ credentials, prices, ...paywall }) => ({
    ...{ ...paywall, ...credentials },
    prices: prices.map((price) => ({ ...price, currency: price.currency.toLowerCase() })),
  }))
