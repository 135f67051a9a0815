import type pg from 'pg'
import { CommandError } from '../../../cli/command.ts'
import type { STEPS } from './sections/clock.ts'

const DAY_MS = 86_400_000
/** Moves past the renewal's charge, which some processors make an hour after the period began. */
const CHARGED_MS = 2 * 3_600_000

interface From {
  database: pg.Pool
  paywallId: string
  now: Date
}

/** The target time of a clock button. Throws a `CommandError` if nothing renews. */
export async function targetTime(to: keyof typeof STEPS, from: From): Promise<Date> {
  switch (to) {
    case 'day':
      return new Date(from.now.getTime() + DAY_MS)
    case 'month':
      return monthLater(from.now)
    case 'renewal':
      return new Date((await nextRenewal(from)).getTime() + CHARGED_MS)
  }
}

/** The same day of the next month, or the month's last day if it is shorter. */
export function monthLater(at: Date): Date {
  const later = new Date(at)
  later.setUTCDate(1)
  later.setUTCMonth(at.getUTCMonth() + 1)
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(at.getUTCDate(), lastDay))
  return later
}

async function nextRenewal({ database, paywallId, now }: From): Promise<Date> {
  const { rows } = await database.query<{ at: Date | null }>(
    `select min(p.current_period_end) as at from purchases p
     where p.paywall_id = $1 and p.interval is not null and p.status in ('trialing', 'active', 'past_due')
       and not p.cancel_at_period_end and p.current_period_end > $2`,
    [paywallId, now],
  )
  if (!rows[0]?.at) throw new CommandError(['no subscription of this paywall will renew'])
  return rows[0].at
}
