import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** Takes paywalls' domains off, so that paywalls of one file can pass them on to each other. */
export async function freeDomains(db: Executor, paywallIds: string[]): Promise<void> {
  await sql`update paywalls set domain = null where id = any (${paywallIds}::text[])`.execute(db)
}
