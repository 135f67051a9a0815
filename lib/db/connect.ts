import { neon, neonConfig } from '@neondatabase/serverless'
import { type LoggedIds, logSubject } from '../log/log.ts'

/** The database, as the calls in generated/calls.ts use it. A call is one round trip and one transaction. */
export interface Database {
  /** Executes a statement that gives one row with one column, `result`. */
  call<Result>(statement: string, parameters: unknown[]): Promise<Result>
}

/**
 * How long a Worker waits for an answer: the driver itself would wait for ever. Longer than the database's own limits (the
 * roles' `statement_timeout`), so that as a rule the database says what became of a call.
 */
const CALL_TIMEOUT_MS = 4_000

/** What a Worker needs to reach its database. */
interface DatabaseEnv {
  DATABASE_URL: string
  /** The local world's binding to its stand-in for Neon's proxy. Elsewhere there is none, and the host in `DATABASE_URL` is called. */
  NEON_PROXY?: Pick<typeof globalThis, 'fetch'>
}

/** What the driver is told to call where `NEON_PROXY` is: only the path counts, because a binding has its address. */
const LOCAL_ENDPOINT = 'http://neon-proxy/sql'

/** The database of each environment that this isolate has seen: the driver need not read its address at every request. */
const databases = new WeakMap<DatabaseEnv, Database>()

/** The database over HTTP. Nothing is repeated by itself. */
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
 * `fetch` for Neon's driver, with all that it reads of a response. It has the body, too, because the driver makes a
 * `NeonDbError` only of what is thrown in here: a body that breaks off leaves the outcome of the call as unknown as no
 * response does.
 */
function fetchWholeFrom(proxy: Pick<typeof globalThis, 'fetch'>) {
  return async (...request: Parameters<typeof fetch>) => {
    const response = await proxy.fetch(...request)
    const text = await response.text()
    return { ok: response.ok, status: response.status, text: () => text, json: () => JSON.parse(text) }
  }
}
