import { neon, neonConfig } from '@neondatabase/serverless'
import { DefaultQueryExecutor, type QueryExecutorProvider } from 'kysely'
import { NeonDialect } from 'kysely-neon'

/**
 * What a statement is executed on: sql templates only. Kysely's query builder would be half of the code, in every
 * Worker and at every cold start, for what are a handful of one-table statements.
 */
export type Database = QueryExecutorProvider

/** The driver has no timeout. Longer than a statement of ours takes, shorter than a processor waits for our answer. */
const STATEMENT_TIMEOUT_MS = 8_000

/** The database over HTTP: a statement is one round trip and one transaction. Nothing is repeated by itself. */
export function connect(env: { DATABASE_URL: string; NEON_FETCH_ENDPOINT: string }): Database {
  if (env.NEON_FETCH_ENDPOINT) neonConfig.fetchEndpoint = env.NEON_FETCH_ENDPOINT
  const dialect = new NeonDialect({ neon: () => client(env.DATABASE_URL) })
  const driver = dialect.createDriver()
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    async provideConnection(consume) {
      await driver.init()
      return consume(await driver.acquireConnection())
    },
  })
  return { getExecutor: () => executor }
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
