import type pg from 'pg'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** A paywall's clock as stored in the database. Times are Unix milliseconds on that clock. */
export interface PaywallClock {
  isTest: boolean
  /** The processors at which the paywall has or had an account. */
  acquiring: ProcessorName[]
  now: number
  /** When the reconcile cron next polls a page or a purchase of the paywall; null: never. */
  pollAt: number | null
  /** When the last of those is due that are due within a minute of the first. */
  pollBy: number | null
  /** When what a pending event reports is read again; null: there is none. */
  readAt: number | null
  /** When the first of the paywall's grants ends; null: there is none. */
  grantEndAt: number | null
  /** When a delivery of the paywall is next attempted; null: never. */
  deliverAt: number | null
}

const milliseconds = (at: string) => `ceil(extract(epoch from ${at}) * 1000)::double precision`

/** Ignores deliveries to webhook endpoints that are disabled or held: moving the clock does not make them due. */
const READ = `
  select p.is_test as "isTest",
    array(select a.acquiring from processor_accounts a where a.paywall_id = p.id order by 1) as acquiring,
    ${milliseconds('now() + p.clock_offset')} as now,
    ${milliseconds('polls.first')} as "pollAt",
    ${milliseconds(`greatest(
      (select max(c.reconcile_at) from checkouts c where c.paywall_id = p.id and c.reconcile_at <= polls.first + interval '1 minute'),
      (select max(s.reconcile_at) from purchases s where s.paywall_id = p.id and s.reconcile_at <= polls.first + interval '1 minute'))`)} as "pollBy",
    ${milliseconds('(select min(e.due_at) from pending_events e where e.paywall_id = p.id)')} as "readAt",
    ${milliseconds('(select min(g.ends_at) from grants g where g.paywall_id = p.id and g.ended_at is null)')} as "grantEndAt",
    ${milliseconds(`p.clock_offset + (
      select min(d.next_attempt_at) from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.paywall_id = p.id and d.state = 'pending' and e.disabled_at is null and coalesce(e.held_until <= now(), true))`)}
      as "deliverAt"
  from paywalls p, lateral (select least(
      (select min(c.reconcile_at) from checkouts c where c.paywall_id = p.id),
      (select min(s.reconcile_at) from purchases s where s.paywall_id = p.id)) as first) polls
  where p.id = $1`

/** Null if there is no such paywall. */
export async function readPaywallClock(database: pg.Pool, paywallId: string): Promise<PaywallClock | null> {
  const { rows } = await database.query<PaywallClock>(READ, [paywallId])
  return rows[0] ?? null
}

/** Deliveries are due by real time, because a webhook endpoint may receive events of several paywalls: shift them by the same amount. */
const MOVE = `
  with moved as (
    select p.id, to_timestamp($2 / 1000.0) - (now() + p.clock_offset) as by from paywalls p where p.id = $1 for no key update
  ), sooner as (
    update deliveries d set next_attempt_at = d.next_attempt_at - moved.by from moved
    where d.paywall_id = moved.id and d.state = 'pending' and d.next_attempt_at is not null and moved.by > '0'
  )
  update paywalls p set clock_offset = p.clock_offset + moved.by from moved where p.id = moved.id and moved.by > '0'`

/** Moves a paywall's clock to a time. A clock that is already at or past it stays. */
export async function movePaywallClock(database: pg.Pool, paywallId: string, at: number): Promise<void> {
  await database.query(MOVE, [paywallId, at])
}
