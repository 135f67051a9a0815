import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'

/** What one statement sets aside at most, to stay well within its time. */
const BATCH = 5_000

/**
 * Puts off deliveries that stand behind one about the same member, so that a lease need not look at them again and
 * again: an endpoint that is down gathers many. Recording the one in front releases the next.
 *
 * One that has only just come due stays: the statement that finishes the one in front may have begun before it was
 * there, and would not release it. That costs at most the minute for which it was put off, not the event.
 */
export async function setAsideBlocked(db: Database): Promise<void> {
  await sql`
    update deliveries d set next_attempt_at = greatest(blocked.head_next_attempt_at, now() + interval '1 minute')
    from (
      select d.event_id, d.endpoint_id, head.next_attempt_at as head_next_attempt_at
      from deliveries d
      cross join lateral (
        select about.sequence, about.next_attempt_at from deliveries about
        where (about.endpoint_id, about.paywall_id, about.user_id) = (d.endpoint_id, d.paywall_id, d.user_id)
          and about.state = 'pending'
        order by about.sequence limit 1
      ) head
      where d.state = 'pending' and d.next_attempt_at < now() - interval '10 seconds' and head.sequence < d.sequence
      limit ${BATCH}::int
      for update of d skip locked
    ) blocked
    where (d.event_id, d.endpoint_id) = (blocked.event_id, blocked.endpoint_id)
  `.execute(db)
}
