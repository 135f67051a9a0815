import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

export interface ListedTicket {
  id: number
  paywall_id: string
  status: string
  /** Null for an anonymous user. */
  customer_email: string | null
  /** Null for a guest. */
  user_id: string | null
  subject: string
  content: string
  created_at: string
  attachments: { object_key: string; file_name: string; media_type: string; size: number }[]
}

/** The newest tickets, of one paywall or of all, oldest first; and how many there are. */
export async function listTickets(
  db: Executor,
  paywallId: string | null,
  limit: number,
): Promise<{ total: number; tickets: ListedTicket[] }> {
  const { rows } = await sql<{ total: number; tickets: ListedTicket[] }>`
    with asked as (
      select * from tickets where ${paywallId}::text is null or paywall_id = ${paywallId}::text
    ), newest as (
      select * from asked order by id desc limit ${limit}::int
    )
    select (select count(*)::int from asked) as total, coalesce(jsonb_agg(jsonb_build_object(
      'id', t.id, 'paywall_id', t.paywall_id, 'status', t.status, 'customer_email', t.customer_email,
      'user_id', t.user_id, 'subject', t.subject, 'content', t.content, 'created_at', iso(t.created_at),
      'attachments', (
        select coalesce(jsonb_agg(to_jsonb(a) order by a.object_key), '[]')
        from ticket_attachments a where a.ticket_id = t.id)
      ) order by t.id), '[]') as tickets
    from newest t`.execute(db)
  return rows[0]!
}
