import pg from 'pg'

/** The caller closed its request before its statement had an answer. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

/**
 * Runs a statement for as long as its caller waits for it. If the caller goes, a statement that runs is cancelled, and one
 * that still waits for a connection is never sent. Throws `CallerGone` then, unless the statement was done first.
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
  caller: AbortSignal,
): Promise<pg.QueryArrayResult> {
  const client = await connectForCaller(pool, caller)
  if (caller.aborted) {
    client.release()
    throw new CallerGone()
  }
  let cancelling: Promise<void> | undefined
  const cancel = () => {
    cancelling = cancelStatement(client, pool)
  }
  caller.addEventListener('abort', cancel)
  client.on('error', ignore)
  try {
    return await client.query(query)
  } catch (error) {
    throw caller.aborted ? new CallerGone() : error
  } finally {
    caller.removeEventListener('abort', cancel)
    await cancelling
    client.off('error', ignore)
    // A cancel request that comes late would hit the next statement of this connection, so there is none.
    client.release(cancelling !== undefined)
  }
}

/** A connection of the pool. One that is free only after the caller went is for the next. */
async function connectForCaller(pool: pg.Pool, caller: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  const { promise: left, reject } = Promise.withResolvers<never>()
  const leave = () => reject(new CallerGone())
  caller.addEventListener('abort', leave)
  if (caller.aborted) leave()
  try {
    return await Promise.race([left, connecting])
  } catch (error) {
    if (error instanceof CallerGone) void connecting.then((client) => client.release(), ignore)
    throw error
  } finally {
    caller.removeEventListener('abort', leave)
  }
}

/** A connection that is lost fails the statement under way, which says so. The pool hears of those that are idle. */
const ignore = () => undefined

/** On a connection of its own: those of the pool may all be waiting. */
async function cancelStatement(running: pg.PoolClient, { options }: pg.Pool): Promise<void> {
  const client = new pg.Client(options)
  client.on('error', ignore)
  try {
    await client.connect()
    await client.query('select pg_cancel_backend($1)', [processId(running)])
  } catch (error) {
    console.error('a statement whose caller left could not be cancelled:', error)
  } finally {
    await client.end()
  }
}

/** A member of pg's clients that its types leave out. */
function processId(client: pg.PoolClient): number {
  if ('processID' in client && typeof client.processID === 'number') return client.processID
  throw new Error('pg no longer tells the process of a connection')
}
