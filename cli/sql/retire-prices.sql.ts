import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** Takes prices off sale. What was bought at them stays as it is. */
export async function retirePrices(db: Executor, ids: string[]): Promise<void> {
  await sql`update prices set retired_at = now() where id = any (${ids}::text[]) and retired_at is null`.execute(db)
}
