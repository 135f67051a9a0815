import type pg from 'pg'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** A paywall's clock as the database has it. Times are Unix times in milliseconds, by that clock. */
export interface PaywallClock {
  isTest: boolean
  /** The processors at which the paywall has an account, those of former times included. */
  acquiring: ProcessorName[]
  now: number
  /** When the reconcile cron looks at something of the paywall next; null: never. */
  reconcileAt: number | null
  /** When a delivery of the paywall's is attempted next; null: none is to be. */
  deliverAt: number | null
}

const milliseconds = (at: string) => `ceil(extract(epoch from ${at}) * 1000)::double precision`

/** What a disabled webhook endpoint is sent, or one whose secret cannot be opened, waits for no time. */
const READ = `
  select p.is_test as "isTest",
    array(select a.acquiring from processor_accounts a where a.paywall_id = p.id order by 1) as acquiring,
    ${milliseconds('now() + p.clock_offset')} as now,
    ${milliseconds(`least(
      (select min(c.reconcile_at) from checkouts c where c.paywall_id = p.id),
      (select min(s.reconcile_at) from purchases s where s.paywall_id = p.id),
      (select min(e.due_at) from pending_events e where e.paywall_id = p.id))`)} as "reconcileAt",
    ${milliseconds(`p.clock_offset + (
      select min(d.next_attempt_at) from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.paywall_id = p.id and d.state = 'pending' and e.disabled_at is null and coalesce(e.held_until <= now(), true))`)}
      as "deliverAt"
  from paywalls p where p.id = $1`

/** Null if there is no such paywall. */
export async function readPaywallClock(database: pg.Pool, paywallId: string): Promise<PaywallClock | null> {
  const { rows } = await database.query<PaywallClock>(READ, [paywallId])
  return rows[0] ?? null
}

/** Deliveries are due by the real time, since a webhook endpoint may be told of several paywalls: they come as much nearer. */
const MOVE = `
  with moved as (
    select p.id, to_timestamp($2 / 1000.0) - (now() + p.clock_offset) as by from paywalls p where p.id = $1 for no key update
  ), sooner as (
    update deliveries d set next_attempt_at = d.next_attempt_at - moved.by from moved
    where d.paywall_id = moved.id and d.state = 'pending' and d.next_attempt_at is not null and moved.by > '0'
  )
  update paywalls p set clock_offset = p.clock_offset + moved.by from moved where p.id = moved.id and moved.by > '0'`

/** Moves a paywall's clock to a time; one that is there already stays. */
export async function movePaywallClock(database: pg.Pool, paywallId: string, at: number): Promise<void> {
  await database.query(MOVE, [paywallId, at])
}
