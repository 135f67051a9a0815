import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { Place } from '../../lib/db/gate.sql.ts'
import type { TicketRefusal } from './open-ticket.sql.ts'
import { quotas, type Sender, sender, senderRefusals } from './sender.sql.ts'

/** `wait` is the number of seconds after which there is room again. */
export type Foreseen = { verdict: 'room' | TicketRefusal; wait: number }

/**
 * Whether a ticket of this sender would be opened now. It only looks, so that images are not stored for nothing; the
 * judge is `openTicket`.
 */
export async function foreseeTicket(db: Database, who: Sender, place: Place): Promise<Foreseen> {
  const { rows } = await sql<Foreseen>`
    with ${sender(who, place)}, ${quotas()}
    select
      case ${senderRefusals(who)} when exists (select from spent) then 'over_quota' else 'room' end as verdict,
      (select seconds from wait) as wait`.execute(db)
  return rows[0]!
}
