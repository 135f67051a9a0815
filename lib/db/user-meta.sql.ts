import { type RawBuilder, sql } from 'kysely'

/** Largest `meta` of a user on a paywall, all merges together, in bytes of its JSON. */
const LIMIT = 64 * 1024

/** What a merge of `meta` makes of it, and whether that makes it too large: one that shrinks it never does. */
export function merged(kept: RawBuilder<unknown>, added: Record<string, unknown>) {
  const meta = sql`(${kept} || ${JSON.stringify(added)}::jsonb)`
  const tooLarge = sql`octet_length(${meta}::text) > greatest(${LIMIT}::int, octet_length(${kept}::text))`
  return { meta, tooLarge }
}
