import { UNKNOWN_COUNTRY } from './countries.ts'
import { DEFAULT_TIERS } from './default-tiers.ts'

/** A paywall's `geo` field: the targeted countries, and the tier of each country. */
export interface Geo {
  /** Empty: everywhere. */
  countries: string[]
  /** Tier number to countries; absent: the service's default tiers. */
  tiers?: Record<string, string[]> | undefined
}

/** A price for some countries or one tier. Amounts are in minor units. */
export interface LocalPrice {
  countries?: string[] | undefined
  tier?: number | undefined
  currency: string
  amount: number
}

/** The tier of a country; every country without one is in the last tier. */
export function findTier(geo: Geo, country: string): number {
  const tiers = geo.tiers ?? DEFAULT_TIERS
  const named = Object.entries(tiers).find(([, countries]) => countries.includes(country))
  return Number(named?.[0] ?? Math.max(...Object.keys(tiers).map(Number)))
}

/** Whether the paywall targets a country: the contract's `countryMatch`. */
export function matchesCountry(geo: Geo, country: string): boolean {
  return geo.countries.length === 0 || geo.countries.includes(country)
}

/**
 * The only resolver of local prices: a checkout from a country charges what bootstrap shows there. A price for the country takes precedence
 * over one for its tier; null means the base price, which also applies if the country is unknown: otherwise everybody who hides it would
 * pay the last tier's price, usually the cheapest.
 */
export function localPriceFor<Local extends LocalPrice>(locals: Local[], geo: Geo, country: string): Local | null {
  if (country === UNKNOWN_COUNTRY) return null
  const tier = findTier(geo, country)
  return (
    locals.find((local) => local.countries?.includes(country)) ?? locals.find((local) => local.tier === tier) ?? null
  )
}
