import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

export interface KeyRow {
  name: string
  key_hash: string
  is_test: boolean
}

/**
 * Adds owner keys: how many it could. One that was there before is valid again, under its new name; one that another
 * owner has is not touched.
 */
export async function saveKeys(db: Executor, ownerId: string, keys: KeyRow[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into api_keys as key (owner_id, name, key_hash, is_test)
    select ${ownerId}::uuid, name, key_hash, is_test
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as saved (name text, key_hash text, is_test boolean)
    on conflict (key_hash) do update set name = excluded.name, revoked_at = null
    where key.owner_id = excluded.owner_id`.execute(db)
  return Number(numAffectedRows)
}
