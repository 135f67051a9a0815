import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { Settlement } from './settle.ts'

/**
 * Writes down how an attempt ended, and ends its lease. False if `holder` no longer has the lease for that attempt:
 * whoever took it over decides. Repeating it does nothing.
 *
 * An endpoint that is gone is disabled; what waits for it stays pending and goes out, in order, once the owner enables
 * it again. The delivery that waited behind a finished one may go at once, even if it had been set aside.
 */
export async function recordDelivery(
  db: Database,
  delivery: { event_id: string; endpoint_id: string; attempts: number },
  holder: string,
  settlement: Settlement,
): Promise<boolean> {
  const { state, retryInSeconds, disableEndpoint, status, error } = settlement
  const { rows } = await sql<{ recorded: boolean }>`
    with attempt as (
      update deliveries set
        state = ${state}::text,
        next_attempt_at = now() + make_interval(secs => ${retryInSeconds}::double precision),
        locked_until = null,
        holder = null,
        last_status = ${status}::int,
        last_error = ${error}::text,
        finished_at = case when ${state}::text <> 'pending' then now() end
      where event_id = ${delivery.event_id}::text and endpoint_id = ${delivery.endpoint_id}::uuid
        and (holder, attempts) = (${holder}::uuid, ${delivery.attempts}::int) and state = 'pending'
      returning endpoint_id, paywall_id, user_id, sequence, state
    ), released as (
      update deliveries d set next_attempt_at = least(d.next_attempt_at, now())
      from attempt a
      where a.state <> 'pending'
        and (d.endpoint_id, d.paywall_id, d.user_id) = (a.endpoint_id, a.paywall_id, a.user_id) and d.state = 'pending'
        and d.sequence = (
          select min(next.sequence) from deliveries next
          where (next.endpoint_id, next.paywall_id, next.user_id) = (a.endpoint_id, a.paywall_id, a.user_id)
            and next.state = 'pending' and next.sequence > a.sequence
        )
    ), disabled as (
      update webhook_endpoints e set disabled_at = now()
      from attempt a
      where ${disableEndpoint}::boolean and e.id = a.endpoint_id and e.disabled_at is null
    )
    select exists (select from attempt) as recorded
  `.execute(db)
  return rows[0]!.recorded
}
