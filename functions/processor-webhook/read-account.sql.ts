import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'
import type { SealedAccount } from '../../lib/processors/registry.ts'

/** The paywall's account at a processor, and the database's clock: whatever is fetched after it is newer than it. */
export async function readAccount(
  db: Database,
  acquiring: Acquiring,
  paywallId: string,
): Promise<{ account: SealedAccount; now: string } | undefined> {
  const row = await db
    .selectFrom('processor_accounts')
    .select(['paywall_id', 'credentials', sql<string>`clock_timestamp()::text`.as('now')])
    .where('paywall_id', '=', paywallId)
    .where('acquiring', '=', acquiring)
    .executeTakeFirst()
  return row && { account: { paywallId: row.paywall_id, acquiring, credentials: row.credentials }, now: row.now }
}
