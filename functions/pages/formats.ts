// Amounts and days as people write them.
import type { Price } from './structure.ts'
import type { Texts } from './texts/en.ts'

/** Who reads it: the language, and what the pages say in it. */
interface Reader {
  tag: string
  texts: Texts
}

/** An amount in major units as people write it, without decimals where there are none: `$9.99`, `₹399`. For display only. */
export const formatMoney = (amount: number, currency: string, { tag }: Pick<Reader, 'tag'>): string =>
  new Intl.NumberFormat(tag, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(amount)

/** What a price costs where the visitor is. */
export const localAmount = ({ local, currency, amount }: Price) => local ?? { currency, amount }

/** How often a price is paid: `per month`, `every 3 months`, `one-time payment`. */
export const formatCycle = (
  { interval, interval_count: count }: Pick<Price, 'interval' | 'interval_count'>,
  { texts }: Reader,
) => (interval ? texts.every(interval, count ?? 1) : texts.once)

/** What a price costs and how often: `$9.99 per month`. */
export function formatPrice(price: Price, reader: Reader): string {
  const { amount, currency } = localAmount(price)
  return `${formatMoney(amount, currency, reader)} ${formatCycle(price, reader)}`
}

/** A day as people write it, in UTC: the same for everybody who speaks of it. */
export const formatDate = (time: string, { tag }: { tag: string }): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))
