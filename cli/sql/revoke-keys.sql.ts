import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** From now on these keys open nothing. */
export async function revokeKeys(db: Executor, ids: string[]): Promise<void> {
  await sql`update api_keys set revoked_at = now() where id = any (${ids}::uuid[]) and revoked_at is null`.execute(db)
}
