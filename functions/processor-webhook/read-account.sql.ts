import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Place, servedAt } from '../../lib/db/gate.sql.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'

/** The paywall's account at a processor, and the database's clock: whatever is fetched after it is newer than it. */
export async function readAccount(
  db: Database,
  acquiring: Acquiring,
  { paywallId, host }: Place,
): Promise<{ account: SealedAccount; now: string } | undefined> {
  const { rows } = await sql<{ credentials: string; now: string }>`
    select credentials, clock_timestamp()::text as now from processor_accounts
    where paywall_id = ${paywallId} and acquiring = ${acquiring}
      and ${servedAt(host, sql`paywall_id`)}`.execute(db)
  const row = rows[0]
  return row && { account: { paywallId, acquiring, credentials: row.credentials }, now: row.now }
}
