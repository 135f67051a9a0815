// Calendar arithmetic in UTC.
import type { Interval } from './processor.ts'

const DAY_MS = 86_400_000

export const daysLater = (time: Date, count: number) => new Date(time.getTime() + count * DAY_MS)

/** Adds intervals, keeping the time of day. In a shorter month the result is its last day. */
export function intervalsLater(start: Date, interval: Interval, count: number): Date {
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

/** Adds months. The result is on `day`, or on the last day of a shorter month. */
export function monthsLater(start: Date, count: number, day: number): Date {
  const month = new Date(start)
  month.setUTCDate(1)
  month.setUTCMonth(month.getUTCMonth() + count)
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(day, lastDay))
  return month
}
