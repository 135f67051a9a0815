import { html } from 'hono/html'
import type { FilePrice } from '../../../cli/paywall-file/file.ts'
import { type Geo, localPriceFor } from '../../../lib/geo/targeting.ts'
import { currencyDecimals, toMajorUnits } from '../../../lib/money/money.ts'

/** Formats an amount in minor units: `$9.99`. */
export function formatMoney(amount: number, currency: string): string {
  const decimals = currencyDecimals(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...digits }).format(toMajorUnits(amount, currency))
}

/** What a price costs in a country. */
export const soldIn = (price: FilePrice, geo: Geo, country: string): { amount: number; currency: string } =>
  localPriceFor(price.locals, geo, country) ?? price

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' })

export const countryName = (code: string): string => COUNTRY_NAMES.of(code) ?? code

/** `2026-11-22 23:52`, in UTC. */
export const formatMinute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')

/**
 * A time to the minute, or to the second. `datetime` is no more precise than the text: a more precise one would change
 * at every check, and the page would be rendered again under the pointer.
 */
export function time(at: Date, { seconds = false } = {}) {
  const shown = at.toISOString().slice(0, seconds ? 19 : 16)
  return html`<time datetime="${shown}Z">${shown.replace('T', ' ')}</time>`
}

/** A billing interval: `every month`, `every 3 months`, `once`. */
export function formatInterval(interval: string | null, count: number | null): string {
  if (interval === null) return 'once'
  return count === 1 || count === null ? `every ${interval}` : `every ${count} ${interval}s`
}
