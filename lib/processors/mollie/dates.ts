import type { Interval } from '../processor.ts'

/*
 * Mollie charges on dates, those of Amsterdam, and does not say at which hour. A date is its midnight in UTC here.
 */

const DAY_MS = 86_400_000

/** Swedish, because there a date is written as in ISO 8601. */
const amsterdam = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Amsterdam',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** How often a subscription is charged, from which date on. */
export interface Rhythm {
  startDate: Date
  interval: Interval
  intervalCount: number
}

/** The date that an instant is on in Amsterdam. */
export const dateOf = (time: Date) => new Date(amsterdam.format(time))

/** A date as Mollie writes it. */
export const dateText = (date: Date) => date.toISOString().slice(0, 10)

export const daysLater = (time: Date, count: number) => new Date(time.getTime() + count * DAY_MS)

/** So many intervals later, at the same time of day; in a month that has no such day, on its last. */
export function later(start: Date, interval: Interval, count: number): Date {
  switch (interval) {
    case 'day':
      return daysLater(start, count)
    case 'week':
      return daysLater(start, 7 * count)
    case 'month':
      return monthsLater(start, count, start.getUTCDate())
    case 'year':
      return monthsLater(start, 12 * count, start.getUTCDate())
  }
}

/** The date of the charge that follows one made on this date: the first of the rhythm's that is not about the same. */
export function chargeAfter({ startDate, interval, intervalCount }: Rhythm, date: Date): Date {
  for (let number = 1; ; number++) {
    const next = chargeDate(startDate, interval, number * intervalCount)
    const before = chargeDate(startDate, interval, (number - 1) * intervalCount)
    if (date.getTime() < (before.getTime() + next.getTime()) / 2) return next
  }
}

/** What begins on the last day of a month is charged on the last day of each, as Mollie's documentation has it. */
function chargeDate(startDate: Date, interval: Interval, count: number): Date {
  if (interval === 'day' || interval === 'week') return later(startDate, interval, count)
  const isLast = daysLater(startDate, 1).getUTCDate() === 1
  return monthsLater(startDate, interval === 'year' ? 12 * count : count, isLast ? 31 : startDate.getUTCDate())
}

function monthsLater(start: Date, count: number, day: number): Date {
  const month = new Date(start)
  month.setUTCDate(1)
  month.setUTCMonth(month.getUTCMonth() + count)
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(day, lastDay))
  return month
}
