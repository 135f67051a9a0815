import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** From now on these endpoints of an owner get no event. */
export async function disableEndpoints(db: Executor, ownerId: string, urls: string[]): Promise<void> {
  await sql`
    update webhook_endpoints set disabled_at = now()
    where owner_id = ${ownerId}::uuid and url = any (${urls}::text[]) and disabled_at is null`.execute(db)
}
