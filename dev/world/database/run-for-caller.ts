import pg from 'pg'

/** Whoever waits for the answer to a statement. */
export interface Caller {
  /** Whether it closed its request before it had the whole response. */
  isGone: boolean
  /** What is done when that happens. */
  onGone: (() => void) | undefined
}

/** The caller closed its request before its statement had an answer. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

/**
 * Runs a statement for as long as its caller waits for it. If the caller goes, a statement that runs is cancelled, and one
 * that still waits for a connection is never sent. Throws `CallerGone` then, unless the statement was done first.
 * `intercept` gets the call once its connection is open.
 *
 * Neon's proxy does the same, as its published source has it (proxy/src/serverless, `run_until_cancelled` and
 * `QueryData::process`): it ends the wait for a connection, or sends a cancel request for the statement, when the HTTP
 * request's stream or connection is closed. What is not known: whether Neon runs just that source, how long it takes
 * until Cloudflare closes a request that a Worker aborted, and what a pooler behind the proxy does with a cancel
 * request. So nothing relies on it: a role's `statement_timeout` ends what is not cancelled.
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
    // A cancel request that comes late would hit the next statement of this connection, so there is none.
    client.release(cancelling !== undefined)
  }
}

/** A connection of the pool. One that is free only after the caller went is for the next. */
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

/** On a connection of its own: those of the pool may all be waiting. */
async function cancelStatement(running: pg.PoolClient, { options }: pg.Pool): Promise<void> {
  const client = new pg.Client(options)
  client.on('error', () => undefined) // a connection that is lost fails the statement under way, which says so
  try {
    await client.connect()
    await client.query('select pg_cancel_backend($1)', [processId(running)])
  } catch (error) {
    console.error('a statement whose caller left could not be cancelled:', error)
  } finally {
    await client.end()
  }
}

/** A property of pg's clients that its types leave out. */
function processId(client: pg.PoolClient): number {
  if ('processID' in client && typeof client.processID === 'number') return client.processID
  throw new Error('pg no longer tells the process of a connection')
}
