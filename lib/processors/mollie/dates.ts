// Mollie charges on calendar dates in Amsterdam and does not document the hour. In this module a date is a `Date` at midnight UTC.
import { daysLater, intervalsLater, monthsLater } from '../later.ts'
import { INTERVALS, type Interval, UnexpectedReply } from '../processor.ts'
import type { FirstSale, Payment } from './objects.ts'

/** The Swedish locale formats dates as ISO 8601. */
const amsterdam = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Amsterdam',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** The schedule of a subscription's charges: on `startDate` and after every interval. */
interface Rhythm {
  startDate: Date
  interval: Interval
  intervalCount: number
}

/** The date in Amsterdam at a given time. */
export const amsterdamDate = (time: Date) => new Date(amsterdam.format(time))

/** Formats a date for Mollie. */
export const dateText = (date: Date) => date.toISOString().slice(0, 10)

/** The first date on which a subscription may be charged: the day after the first period, or the trial, has ended. */
export function firstChargeDate(payment: Payment, { interval, interval_count, trial_days }: FirstSale): Date {
  const begunAt = payment.paidAt ?? payment.createdAt
  const coveredUntil =
    trial_days > 0 ? daysLater(begunAt, trial_days) : intervalsLater(begunAt, interval, interval_count)
  return daysLater(amsterdamDate(coveredUntil), 1)
}

/** Formats an interval for Mollie, which has no years, and no interval longer than a year. */
export function intervalText(interval: Interval, count: number): string {
  const [unit, units] = interval === 'year' ? ['month', 12 * count] : [interval, count]
  return `${units} ${unit}${units === 1 ? '' : 's'}`
}

type Terms = Pick<FirstSale, 'interval' | 'interval_count'>

/** The interval of a subscription: as sold, unless it was changed at Mollie. */
export function readInterval(text: string, sold: Terms): Terms {
  if (text === intervalText(sold.interval, sold.interval_count)) return sold
  const count = Number.parseInt(text, 10)
  const interval = INTERVALS.find((unit) => text.includes(unit))
  if (interval === undefined || !(count >= 1)) throw new UnexpectedReply('mollie', 'interval')
  if (interval === 'month' && count % 12 === 0) return { interval: 'year', interval_count: count / 12 }
  return { interval, interval_count: count }
}

/**
 * The date of the charge after one made on `date`. A charge may be some days late, so `date` is mapped to the nearest scheduled date, and
 * the result is the scheduled date after that.
 */
export function chargeAfter({ startDate, interval, intervalCount }: Rhythm, date: Date): Date {
  for (let number = 1; ; number++) {
    const next = chargeDate(startDate, interval, number * intervalCount)
    const before = chargeDate(startDate, interval, (number - 1) * intervalCount)
    if (date.getTime() < (before.getTime() + next.getTime()) / 2) return next
  }
}

/** According to Mollie, a subscription that starts on the last day of a month is charged on the last day of every month. */
function chargeDate(startDate: Date, interval: Interval, count: number): Date {
  if (interval === 'day' || interval === 'week') return intervalsLater(startDate, interval, count)
  const isLast = daysLater(startDate, 1).getUTCDate() === 1
  return monthsLater(startDate, interval === 'year' ? 12 * count : count, isLast ? 31 : startDate.getUTCDate())
}
