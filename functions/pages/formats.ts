// Formats amounts and dates for display.
import type { Price } from './structure.ts'
import type { Texts } from './texts/en.ts'

/** The visitor's language and the pages' texts in it. */
interface Reader {
  tag: string
  texts: Texts
}

/** Formats an amount in major units, without decimals if it is whole: `$9.99`, `₹399`. */
export const formatMoney = (amount: number, currency: string, { tag }: Pick<Reader, 'tag'>): string =>
  new Intl.NumberFormat(tag, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(amount)

/** What a price costs in the visitor's country. */
export const localAmount = ({ local, currency, amount }: Price) => local ?? { currency, amount }

/** Formats the billing cycle: `per month`, `per unit, every 3 months`, `one-time payment`. */
export function formatCycle(
  {
    interval,
    interval_count: count,
    per_unit: isPerUnit,
  }: Pick<Price, 'interval' | 'interval_count'> & { per_unit?: boolean },
  { texts }: Reader,
): string {
  const cycle = interval ? texts.every(interval, count ?? 1) : texts.once
  return isPerUnit ? `${texts.perUnit}, ${cycle}` : cycle
}

/** Formats the amount and the billing cycle: `$9.99 per month`. `amount`: what the visitor pays instead of the price. */
export function formatPrice(price: Price, reader: Reader, amount = localAmount(price).amount): string {
  const { currency } = localAmount(price)
  return `${formatMoney(amount, currency, reader)} ${formatCycle(price, reader)}`
}

/** Formats what all units of a price cost, and the billing cycle: `$29.97 per month`. */
export const formatTotal = (price: Price, reader: Reader, amount: number): string =>
  formatPrice({ ...price, per_unit: false }, reader, amount)

/** Formats what a price of several months costs per month at this amount: `$7.42 per month`. Null for other prices. */
export function formatMonthly(price: Price, reader: Reader, amount: number): string | null {
  const { currency } = localAmount(price)
  const months = (price.interval_count ?? 1) * (price.interval === 'year' ? 12 : Number(price.interval === 'month'))
  if (months < 2) return null
  return `${formatMoney(amount / months, currency, reader)} ${reader.texts.every('month', 1)}`
}

/** Formats a date in UTC, so that buyer and support see the same one. */
export const formatDate = (time: string, { tag }: { tag: string }): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))
