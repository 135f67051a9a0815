// Days in UTC, like 2026-11-03.

const DAY_MS = 86_400_000

const toDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

/** Whether it is a day of the calendar, within the years that a paywall can have figures of. */
export function isDay(text: string): boolean {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return false
  const milliseconds = Date.parse(text)
  return !Number.isNaN(milliseconds) && toDay(milliseconds) === text
}

export const dayBefore = (day: string): string => toDay(Date.parse(day) - DAY_MS)

/** All days from the first to the last. */
export function daysBetween(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1)
  return Array.from({ length: count }, (_, index) => toDay(Date.parse(first) + index * DAY_MS))
}
