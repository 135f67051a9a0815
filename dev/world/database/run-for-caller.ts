import pg from 'pg'

/** The client that waits for a statement's response. */
export interface Caller {
  /** Whether the client closed its request before it had the whole response. */
  isGone: boolean
  /** Called when that happens. */
  onGone: (() => void) | undefined
}

/** The caller closed its request before its statement finished. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

/**
 * Runs a statement for as long as its caller waits for it. If the caller disconnects, a running statement is cancelled, and one
 * that still waits for a connection is never sent; it throws `CallerGone` unless the statement finished first.
 * `intercept` wraps the call once the connection is open.
 *
 * Neon's proxy does the same according to its published source (proxy/src/serverless, `run_until_cancelled` and
 * `QueryData::process`): when the HTTP request's stream or connection is closed, it stops waiting for a connection or sends
 * a cancel request for the statement. Unknown: whether Neon runs exactly that source, how long Cloudflare takes to close a
 * request that a Worker aborted, and what a pooler behind the proxy does with a cancel request. So nothing relies on it:
 * the role's `statement_timeout` ends statements that are not cancelled.
 */
export async function runForCaller(
  pool: pg.Pool,
  query: pg.QueryArrayConfig,
  caller: Caller,
  intercept: (run: () => Promise<pg.QueryArrayResult>) => Promise<pg.QueryArrayResult> = (run) => run(),
): Promise<pg.QueryArrayResult> {
  const client = await connectForCaller(pool, caller)
  let cancelling: Promise<void> | undefined
  try {
    return await intercept(async () => {
      if (caller.isGone) throw new CallerGone()
      caller.onGone = () => {
        cancelling = cancelStatement(client, pool)
      }
      return await client.query(query)
    })
  } catch (error) {
    throw caller.isGone ? new CallerGone() : error
  } finally {
    caller.onGone = undefined
    await cancelling
    // Closes the connection: a late cancel request would hit its next statement.
    client.release(cancelling !== undefined)
  }
}

/** Gets a connection from the pool. One that becomes free only after the caller disconnected is returned to the pool. */
function connectForCaller(pool: pg.Pool, caller: Caller): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    caller.onGone = () => reject(new CallerGone())
    pool.connect((error, client) => {
      if (!client) return reject(error)
      if (!caller.isGone) return resolve(client)
      client.release()
      reject(new CallerGone())
    })
  })
}

/** Uses a connection outside the pool, whose connections may all be busy. */
async function cancelStatement(running: pg.PoolClient, { options }: pg.Pool): Promise<void> {
  const client = new pg.Client(options)
  client.on('error', () => undefined) // a lost connection fails the query below, which reports it
  try {
    await client.connect()
    await client.query('select pg_cancel_backend($1)', [processId(running)])
  } catch (error) {
    console.error('could not cancel the statement of a caller that disconnected:', error)
  } finally {
    await client.end()
  }
}

/** The types of pg lack `processID`. */
function processId(client: pg.PoolClient): number {
  if ('processID' in client && typeof client.processID === 'number') return client.processID
  throw new Error('pg no longer exposes processID')
}
