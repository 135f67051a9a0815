import { type Cycle, DAY_SECONDS } from '../core/periods.ts'

/** Formats a time: `2026-11-21T08:36:00+00:00`. */
export const dateTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', '+00:00')

/** Formats a date: `2026-11-21`. */
export const toDate = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Whether a text is a valid date. */
export function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && toDate(at / 1000) === text
}

/** The time at which a subscription is charged on a date, in unix seconds: Mollie charges early in the morning. */
export const chargeTime = (date: string) => Date.parse(`${date}T04:00:00Z`) / 1000

export const addDays = (date: string, days: number) => toDate(toStart(date) + days * DAY_SECONDS)

const INTERVAL = /^([1-9]\d{0,2}) (day|week|month)s?$/
/** Mollie's longest interval is a year. */
const LONGEST = { day: 365, week: 52, month: 12 }

/** Parses `3 months`, `2 weeks` or `1 day`; null if the text is not an interval, or is longer than a year. */
export function parseInterval(text: string): Cycle | null {
  const [, count, name] = INTERVAL.exec(text) ?? []
  if (name !== 'day' && name !== 'week' && name !== 'month') return null
  const intervalCount = Number(count)
  return intervalCount > LONGEST[name] ? null : { interval: name, intervalCount }
}

/**
 * The anchor for the day of the month of all charges: the first date. Shorter months are charged on their last day; if the first
 * date is the last day of its month, so are all others.
 */
export const chargeAnchor = (first: string) => chargeTime(addDays(first, 1).endsWith('-01') ? '2000-01-31' : first)

const toStart = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000
