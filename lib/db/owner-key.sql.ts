import { sql } from 'kysely'
import type { Database } from './connect.ts'

/** Whether an owner key opens anything at all. */
export async function isLiveKey(db: Database, keyHash: string): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select exists (select from api_keys where key_hash = ${keyHash}::text and revoked_at is null) as live`.execute(db)
  return rows[0]!.live
}
