import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from '../database.ts'

/** Ends the live sessions that match `which` and returns their number. Their access tokens end with them. */
export async function endLiveSessions(db: Database, which: Expression<SqlBool>): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sign_in_sessions')
    .set({ ended_at: sql`now()` })
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(which)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Counts the live sessions that an owner key minted. */
export async function countLiveSessions(db: Database, keyId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sign_in_sessions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('minted_by', '=', keyId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return Number(count)
}
