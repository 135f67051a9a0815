import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { Place } from '../../lib/db/gate.sql.ts'
import { guestOutbox, outbox } from '../../lib/events/outbox.sql.ts'
import type { ImageType } from './image-type.ts'
import { QUOTA, quotas, recent, type Sender, type SenderRefusal, sender, senderRefusals } from './sender.sql.ts'

/** An image in R2. Nothing in its name can be guessed, and nothing of it came from its sender. */
export interface Attachment {
  object_key: string
  file_name: string
  media_type: ImageType
  size: number
}

export interface NewTicket {
  who: Sender
  subject: string
  content: string
  /** Their objects are in R2 already. */
  attachments: Attachment[]
}

export type TicketRefusal = SenderRefusal | 'over_quota'

export type TicketRow =
  | { verdict: TicketRefusal; wait: number }
  /** `queued` is how many deliveries to owners' endpoints now wait. */
  | { verdict: 'opened'; ticket: { id: number; status: 'open' }; queued: number }

/**
 * Opens a ticket, counts it for the sender's address and for the user, and tells the owner, all or nothing. However many
 * come at once, no address and no user gets more than its quota: each is counted in a row that the count locks.
 *
 * A ticket that is refused counts nowhere. The member and the quota rows are locked before anything is written, so what
 * they say then is what counts; of two rows that do not exist yet the second is made only if the first had room.
 */
export async function openTicket(
  db: Database,
  place: Place,
  { who, subject, content, attachments }: NewTicket,
): Promise<TicketRow> {
  const { rows } = await sql<TicketRow>`
    with ${sender(who, place, sql`for no key update of m`)}, ${quotas(sql`for update of q`)}, by_email as (
      ${count(sql`'email:' || email`)} from sender where email is not null and not exists (select from spent)
      ${ifRoom}
    ), by_user as (
      ${count(sql`'user:' || user_id`)} from sender
      where user_id is not null and (email is null or exists (select from by_email))
      ${ifRoom}
    ), opened as (
      insert into tickets (paywall_id, user_id, customer_email, subject, content)
      select paywall_id, user_id, email, ${subject}::text, ${content}::text from sender
      where case when user_id is null then exists (select from by_email) else exists (select from by_user) end
      returning *
    ), attached as (
      insert into ticket_attachments (ticket_id, object_key, file_name, media_type, size)
      select opened.id, file.* from opened, jsonb_to_recordset(${JSON.stringify(attachments)}::jsonb)
        as file (object_key text, file_name text, media_type text, size int)
      returning *
    ), ${happened(who)}
    select
      case ${senderRefusals(who)} when not exists (select from opened) then 'over_quota' else 'opened' end as verdict,
      (select seconds from wait) as wait,
      (select jsonb_build_object('id', id, 'status', status) from opened) as ticket,
      (select count(*)::int from queued) as queued`.execute(db)
  return rows[0]!
}

const count = (who: RawBuilder<unknown>) => sql`
  insert into ticket_quotas as q (paywall_id, who, opened) select paywall_id, ${who}, array[now()]`

const ifRoom = sql`
  on conflict (paywall_id, who) do update set opened = ${recent(sql`q.opened`)} || now()
  where cardinality(${recent(sql`q.opened`)}) < ${QUOTA}::int
  returning who`

/** The owner's event, with the ticket whole: the words of a support request are what it is about. */
function happened(who: Sender) {
  const ticket = sql`jsonb_build_object(
    'id', id, 'status', status, 'subject', subject, 'content', content, 'customer_email', customer_email,
    'attachments', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'key', object_key, 'file_name', file_name, 'media_type', media_type, 'size', size) order by object_key), '[]')
      from attached),
    'created_at', iso(created_at))`
  return who.kind === 'user'
    ? sql`happened as (
        select paywall_id, user_id, 1 as position, 'ticket.created' as type, ${ticket} as object, null::jsonb as previous
        from opened
      ), ${outbox}`
    : sql`happened as (
        select paywall_id, customer_email as email, 'ticket.created' as type, ${ticket} as object from opened
      ), ${guestOutbox}`
}
