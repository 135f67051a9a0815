import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** Makes other applies of the same owner wait until this transaction ends, also while the owner has no row yet. */
export async function lockOwner(db: Executor, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('paywall apply ' || ${email}::text, 0))`.execute(db)
}
