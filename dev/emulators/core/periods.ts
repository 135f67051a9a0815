/* Units of time, in seconds. */

export const MINUTE_SECONDS = 60
export const HOUR_SECONDS = 60 * MINUTE_SECONDS
export const DAY_SECONDS = 24 * HOUR_SECONDS

/** A billing cycle; `interval` null: one-time. */
export interface Cycle {
  interval: 'day' | 'week' | 'month' | 'year' | null
  intervalCount: number | null
}

/** A billing cycle in words: `per month`, `every 3 months`. */
export const cycleText = ({ interval: unit, intervalCount: count }: Cycle) =>
  count === null || count === 1 ? `per ${unit}` : `every ${count} ${unit}s`

/**
 * The end of the period that begins at `end`, in unix seconds. Months and years keep the anchor's day of the month if the
 * month has it: from 31 January to 28 February to 31 March.
 */
export function nextPeriodEnd(end: number, cycle: Cycle, anchor: number): number {
  const count = cycle.intervalCount ?? 1
  switch (cycle.interval) {
    case 'day':
      return end + count * DAY_SECONDS
    case 'week':
      return end + count * 7 * DAY_SECONDS
    case 'month':
      return addMonths(end, count, anchor)
    case 'year':
      return addMonths(end, count * 12, anchor)
    case null:
      throw new RangeError('a one-time payment has no next period')
  }
}

function addMonths(from: number, months: number, anchor: number): number {
  const date = new Date(from * 1000)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(new Date(anchor * 1000).getUTCDate(), lastDay)
  return (Date.UTC(year, month, day) - startOfDay(date)) / 1000 + from
}

const startOfDay = (date: Date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
