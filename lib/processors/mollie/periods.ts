import type { Interval } from '../processor.ts'

const DAY_MS = 86_400_000

/** Mollie charges on a date of Amsterdam's, which begins up to two hours before that of UTC. */
const EARLY_MS = DAY_MS / 2

/** How often a subscription is charged, from which date on (at 00:00 UTC). */
export interface Rhythm {
  startDate: Date
  interval: Interval
  intervalCount: number
}

/** From a charge's date until that of the next. */
export interface Period {
  start: Date
  nextCharge: Date
}

/** The period that a charge made at this instant is for. */
export function periodOfCharge({ startDate, interval, intervalCount }: Rhythm, chargedAt: Date): Period {
  const charge = (number: number) => later(startDate, interval, number * intervalCount)
  let number = 0
  while (charge(number + 1).getTime() <= chargedAt.getTime() + EARLY_MS) number += 1
  return { start: charge(number), nextCharge: charge(number + 1) }
}

/** So many intervals later, at the same time of day; in a month that has no such day, on its last. */
export function later(start: Date, interval: Interval, count: number): Date {
  switch (interval) {
    case 'day':
      return daysLater(start, count)
    case 'week':
      return daysLater(start, 7 * count)
    case 'month':
      return monthsLater(start, count)
    case 'year':
      return monthsLater(start, 12 * count)
  }
}

export const daysLater = (start: Date, count: number) => new Date(start.getTime() + count * DAY_MS)

/** The date as Mollie writes it. */
export const dateText = (time: Date) => time.toISOString().slice(0, 10)

function monthsLater(start: Date, count: number): Date {
  const month = new Date(start)
  month.setUTCDate(1)
  month.setUTCMonth(month.getUTCMonth() + count)
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(start.getUTCDate(), lastDay))
  return month
}
