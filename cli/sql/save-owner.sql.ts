import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** The owner of an e-mail address, made if there is none: its id. */
export async function saveOwner(db: Executor, email: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into owners (email) values (${email}::text)
    on conflict (email) do update set email = excluded.email
    returning id`.execute(db)
  return rows[0]!.id
}
