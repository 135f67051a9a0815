import { neon, neonConfig } from '@neondatabase/serverless'
import { type LoggedIds, logSubject } from '../log/log.ts'

/** The database, for the calls in generated/calls.ts. A call is one round trip and one transaction. */
export interface Database {
  /** Executes a statement that returns one row with one column, `result`. */
  call<Result>(statement: string, parameters: unknown[]): Promise<Result>
}

/**
 * The timeout of a call: the driver itself has none. Longer than the database's own limits (the roles' `statement_timeout`), so that the
 * database normally reports the outcome of a call.
 */
const CALL_TIMEOUT_MS = 4_000

/** The bindings with which a Worker reaches its database. */
interface DatabaseEnv {
  DATABASE_URL: string
  /** The local world's stand-in for Neon's proxy. Elsewhere it is absent, and the host in `DATABASE_URL` is called. */
  NEON_PROXY?: Pick<typeof globalThis, 'fetch'>
}

/** The driver's endpoint for `NEON_PROXY`: only the path matters, because a service binding has no address. */
const LOCAL_ENDPOINT = 'http://neon-proxy/sql'

/** Connections of this isolate by environment, so that the driver does not parse its URL for each request. */
const databases = new WeakMap<DatabaseEnv, Database>()

/** The database over HTTP, without retries. */
export function connect(env: DatabaseEnv): Database {
  const known = databases.get(env)
  if (known) return known
  const database = open(env)
  databases.set(env, database)
  return database
}

function open(env: DatabaseEnv): Database {
  neonConfig.fetchFunction = fetchWholeFrom(env.NEON_PROXY ?? globalThis)
  if (env.NEON_PROXY) neonConfig.fetchEndpoint = LOCAL_ENDPOINT
  const query = neon(env.DATABASE_URL)
  return {
    async call(statement, parameters) {
      const fetchOptions = { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) }
      const [row] = await query.query(statement, parameters, { fetchOptions })
      const result: { logged?: LoggedIds } | null | undefined = row?.result
      if (result?.logged) logSubject(result.logged) // see verdict.sql
      return row?.result
    },
  }
}

/**
 * `fetch` for Neon's driver that reads the whole response, body included, because the driver wraps only errors thrown in here as
 * `NeonDbError`: a body that breaks off leaves the outcome of the call as unknown as no response does.
 */
function fetchWholeFrom(proxy: Pick<typeof globalThis, 'fetch'>) {
  return async (...request: Parameters<typeof fetch>) => {
    const response = await proxy.fetch(...request)
    const text = await response.text()
    return { ok: response.ok, status: response.status, text: () => text, json: () => JSON.parse(text) }
  }
}
