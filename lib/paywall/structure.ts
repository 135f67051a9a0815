import { canonicalHash } from '../crypto/canonical.ts'
import { type Geo, type LocalPrice, localPriceFor } from '../geo/targeting.ts'
import { toMajorUnits } from '../money/money.ts'
import type { Discount, OfferPlace } from '../processors/discount.ts'

/** A paywall's public rows from the database: amounts are in minor units. */
export interface PaywallRow {
  id: string
  name: string
  settings: Record<string, unknown>
  geo: Geo
  /** The owner's own entries of `offers`. */
  offers: unknown[]
  /** The offers that take something off. */
  discounts: PublicOffer[]
  /** The paywall's time, which decides which of them are made: ISO 8601 in UTC. */
  now: string
  /** The times of the offers that have a code. */
  codes: OfferTimes[]
  /** The keys of the titles and badges of offers that are not listed. */
  hidden_texts: string[]
  layout: Record<string, unknown>
  locales: Record<string, Record<string, unknown>>
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
  per_unit: boolean
  tokens: { type: string; count: number; trial_count?: number }[]
  locals: LocalPrice[]
}

/** ISO 8601, or null if there is no limit. */
interface OfferTimes {
  starts_at: string | null
  ends_at: string | null
}

/** The public part of a discount offer. */
export interface PublicOffer extends OfferTimes {
  id: string
  title: string
  badge: string | null
  /** `amount` is in minor units. */
  discount: Discount
  /** Slugs. */
  prices: string[]
  countries: string[] | null
  show: OfferPlace
}

/** The structural payload of bootstrap (contract section 2), without `version`, for a caller from `country`. */
export function toStructure(paywall: PaywallRow, country: string) {
  return {
    settings: {
      ...paywall.settings,
      id: paywall.id,
      name: paywall.name,
      ...(paywall.codes.some((offer) => isRunning(offer, paywall.now)) && { accepts_codes: true }),
    },
    prices: paywall.prices.map((price) => priceFor(price, paywall.geo, country)),
    offers: [
      ...paywall.offers,
      ...paywall.discounts
        .filter((offer) => isRunning(offer, paywall.now) && (offer.countries?.includes(country) ?? true))
        .map((offer) => toOffer(offer, paywall.now)),
    ],
    layout: paywall.layout,
    locales: publicLocales(paywall),
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

/** The locales without the texts that only offers use that are not listed. */
function publicLocales({ settings, prices, offers, layout, locales, hidden_texts: hidden }: PaywallRow) {
  if (hidden.length === 0) return locales
  const used = new Set(listStrings([settings, prices, offers, layout]))
  const left = new Set(hidden.filter((key) => !used.has(key)))
  const publicTexts = (texts: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => !left.has(key)))
  return Object.fromEntries(Object.entries(locales).map(([locale, texts]) => [locale, publicTexts(texts)]))
}

/** All strings in a JSON value, at any depth. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : []
}

/** Whether an offer has begun and has not ended. */
function isRunning({ starts_at: start, ends_at: end }: OfferTimes, now: string): boolean {
  const at = Date.parse(now)
  return (start === null || Date.parse(start) <= at) && (end === null || Date.parse(end) > at)
}

const DAY = 24 * 60 * 60 * 1000

/** An offer as the API serves it: amounts in major units, without empty fields. `now`: the paywall's time. */
export function toOffer({ badge, discount, countries, starts_at, ends_at, ...offer }: PublicOffer, now: string) {
  const { amount, currency, ...rest } = discount
  return {
    ...offer,
    ...(badge !== null && { badge }),
    discount: {
      ...rest,
      ...(amount !== undefined && currency !== undefined && { amount: toMajorUnits(amount, currency), currency }),
    },
    ...(countries !== null && { countries }),
    ...(starts_at !== null && { starts_at }),
    ...(ends_at !== null && { ends_at, days_left: Math.ceil((Date.parse(ends_at) - Date.parse(now)) / DAY) }),
  }
}
