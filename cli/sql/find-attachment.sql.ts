import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** The size in bytes of an image of some ticket; undefined if no ticket has it. */
export async function findAttachment(db: Executor, objectKey: string): Promise<{ size: number } | undefined> {
  const { rows } = await sql<{ size: number }>`
    select size from ticket_attachments where object_key = ${objectKey}::text`.execute(db)
  return rows[0]
}
