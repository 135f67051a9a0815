import { neon, neonConfig } from '@neondatabase/serverless'
import { Kysely } from 'kysely'
import { NeonDialect } from 'kysely-neon'
import type { DB } from './generated/tables.ts'

export type Database = Kysely<DB>

/** The driver has no timeout. Longer than a statement of ours takes, shorter than a processor waits for our answer. */
const STATEMENT_TIMEOUT_MS = 8_000

/** The database over HTTP: a statement is one round trip and one transaction. Nothing is repeated by itself. */
export function connect(env: { DATABASE_URL: string; NEON_FETCH_ENDPOINT: string }): Database {
  if (env.NEON_FETCH_ENDPOINT) neonConfig.fetchEndpoint = env.NEON_FETCH_ENDPOINT
  return new Kysely<DB>({ dialect: new NeonDialect({ neon: () => client(env.DATABASE_URL) }) })
}

function client(url: string) {
  const query = neon(url)
  return {
    query: (text: string, parameters?: unknown[], options?: { arrayMode?: boolean; fullResults?: boolean }) =>
      query.query(text, parameters, {
        ...options,
        fetchOptions: { signal: AbortSignal.timeout(STATEMENT_TIMEOUT_MS) },
      }),
  }
}
