import { UNKNOWN_COUNTRY } from './countries.ts'
import { DEFAULT_TIERS } from './default-tiers.ts'

/** A paywall's `geo` field: where it sells, and which tier a country is in. */
export interface Geo {
  /** Empty: everywhere. */
  countries: string[]
  /** Tier number to countries; absent: the table that ships with the service. */
  tiers?: Record<string, string[]> | undefined
}

/** A price for some countries or one tier. Amounts are minor units. */
export interface LocalPrice {
  countries?: string[] | undefined
  tier?: number | undefined
  currency: string
  amount: number
}

/** The tier of a country; every country that no tier names is in the last one. */
export function findTier(geo: Geo, country: string): number {
  const tiers = geo.tiers ?? DEFAULT_TIERS
  const named = Object.entries(tiers).find(([, countries]) => countries.includes(country))
  return Number(named?.[0] ?? Math.max(...Object.keys(tiers).map(Number)))
}

/** Whether the paywall is meant for a country: the contract's `countryMatch`. */
export function matchesCountry(geo: Geo, country: string): boolean {
  return geo.countries.length === 0 || geo.countries.includes(country)
}

/**
 * The one resolver of local prices: what bootstrap shows a caller from a country is what a checkout from there asks.
 * A price for the country goes before one for its tier; null means the base price. That is also the price where the country
 * is unknown: otherwise everybody who hides it would pay the last tier's, which is the cheapest as a rule.
 */
export function localPriceFor<Local extends LocalPrice>(locals: Local[], geo: Geo, country: string): Local | null {
  if (country === UNKNOWN_COUNTRY) return null
  const tier = findTier(geo, country)
  return (
    locals.find((local) => local.countries?.includes(country)) ?? locals.find((local) => local.tier === tier) ?? null
  )
}
