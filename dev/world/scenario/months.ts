import type { Charge } from './charges.ts'
import type { OwnerEvent } from './owner-event.ts'

/** A calendar month of the paywall's clock with the processor's charges and the owner's events. */
export interface Month {
  /** `2026-12` */
  month: string
  charges: Charge[]
  events: OwnerEvent[]
}

/** All months of a scenario, including those without a charge or an event. */
export function byMonth(rows: { at: Date; events: OwnerEvent[] }[], charges: Charge[]): Month[] {
  const first = rows.at(0)?.at
  const last = rows.at(-1)?.at
  if (!first || !last) return []
  const events = rows.flatMap((row) => row.events)
  return monthsBetween(first, last).map((month) => ({
    month,
    charges: charges.filter(({ at }) => toMonth(at) === month),
    events: events.filter(({ at }) => toMonth(at) === month),
  }))
}

const toMonth = (at: Date) => at.toISOString().slice(0, 7)

function monthsBetween(first: Date, last: Date): string[] {
  const months: string[] = []
  for (let at = first; toMonth(at) <= toMonth(last); at = nextMonth(at)) months.push(toMonth(at))
  return months
}

/** The first day of the next month, at nine in the morning. */
export const nextMonth = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1, 9))
