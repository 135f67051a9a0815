import { canonicalHash } from '../crypto/canonical.ts'
import { type Geo, type LocalPrice, localPriceFor } from '../geo/targeting.ts'
import { toMajorUnits } from '../money/money.ts'

/** A paywall's public rows from the database: amounts are in minor units. */
export interface PaywallRow {
  id: string
  name: string
  settings: Record<string, unknown>
  geo: Geo
  offers: unknown[]
  layout: Record<string, unknown>
  locales: Record<string, unknown>
  prices: PriceRow[]
}

interface PriceRow {
  id: string
  slug: string
  label: string
  currency: string
  amount: number
  interval: string | null
  interval_count: number | null
  trial_days: number
  features: string[]
  access: boolean
  tokens: { type: string; count: number; trial_count?: number }[]
  locals: LocalPrice[]
}

/** The structural payload of bootstrap (contract section 2), without `version`, for a caller from `country`. */
export function toStructure(paywall: PaywallRow, country: string) {
  return {
    settings: { ...paywall.settings, id: paywall.id, name: paywall.name },
    prices: paywall.prices.map((price) => priceFor(price, paywall.geo, country)),
    offers: paywall.offers,
    layout: paywall.layout,
    locales: paywall.locales,
  }
}

/** The contract's `version`: SHA-256 of the canonical JSON (RFC 8785) of the payload as served. */
export async function computeVersion(structure: ReturnType<typeof toStructure>): Promise<string> {
  return `sha256:${await canonicalHash(structure)}`
}

function priceFor({ locals, amount, ...price }: PriceRow, geo: Geo, country: string) {
  const local = localPriceFor(locals, geo, country)
  return {
    ...price,
    amount: toMajorUnits(amount, price.currency),
    ...(local && { local: { currency: local.currency, amount: toMajorUnits(local.amount, local.currency) } }),
  }
}
