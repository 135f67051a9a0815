import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { servedAt } from '../../lib/db/gate.sql.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'

/** A hosted checkout that a browser comes back from, and the account to ask what became of it. */
export interface ReturningCheckout {
  id: string
  paywall_id: string
  acquiring: Acquiring
  credentials: string
  session_id: string | null
  success_url: string
  error_url: string
  completed: boolean
  /** The database's clock: whatever is fetched after it is newer than it. */
  now: string
}

export async function readCheckout(db: Database, id: string, host: string): Promise<ReturningCheckout | undefined> {
  const { rows } = await sql<ReturningCheckout>`
    select c.id, c.paywall_id, c.acquiring, a.credentials, c.session_id, c.success_url, c.error_url,
      c.completed_at is not null as completed, clock_timestamp()::text as now
    from checkouts c join processor_accounts a using (paywall_id, acquiring)
    where c.id = ${id}::uuid and ${servedAt(host, sql`c.paywall_id`)}`.execute(db)
  return rows[0]
}
