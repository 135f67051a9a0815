import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

export interface EndpointRow {
  url: string
  /** Sealed. */
  secret: string
  events: string[]
}

/** Adds endpoints or changes them, and enables them. Where the secret is another, the old one signs too for 24 h. */
export async function saveEndpoints(db: Executor, ownerId: string, endpoints: EndpointRow[]): Promise<void> {
  await sql`
    insert into webhook_endpoints as endpoint (owner_id, url, secret, events)
    select ${ownerId}::uuid, url, secret, events
    from jsonb_to_recordset(${JSON.stringify(endpoints)}::jsonb) as saved (url text, secret text, events text[])
    on conflict (owner_id, url) do update set
      secret = excluded.secret, events = excluded.events, disabled_at = null,
      previous_secret = case when endpoint.secret = excluded.secret
        then endpoint.previous_secret else endpoint.secret end,
      previous_secret_until = case when endpoint.secret = excluded.secret
        then endpoint.previous_secret_until else now() + interval '24 hours' end`.execute(db)
}
