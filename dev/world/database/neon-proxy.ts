import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import * as z from 'zod'
import { close, listen } from '../../emulators/core/listen.ts'
import { type Caller, CallerGone, runForCaller } from './run-for-caller.ts'

const ConnectionString = z.string()
const Statement = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) })
export type Statement = z.infer<typeof Statement>
export type StatementResult = pg.QueryArrayResult

/** Thrown by an interceptor: closes the connection without a response, whether or not the statement ran. */
export class ResponseLost extends Error {
  override name = 'ResponseLost'
}

/** Thrown by an interceptor: sends the start of a 200, then closes the connection. */
export class ResponseCutOff extends ResponseLost {
  override name = 'ResponseCutOff'
}

/** Replaces Neon's proxy locally: plain Postgres behind the HTTP protocol that @neondatabase/serverless speaks. */
export interface NeonProxy {
  readonly url: string
  /** Statements received since the start. The difference before and after a request is its number of round trips. */
  readonly statements: number
  /**
   * Wraps each statement once it has a connection. It may wait before `run`, or throw `ResponseLost` before or after it.
   */
  onStatement: ((statement: Statement, run: () => Promise<StatementResult>) => Promise<StatementResult>) | undefined
  close(): Promise<void>
}

/** Connections per role and database. Neon's pooler has more; here 200 concurrent callers of a test have to queue. */
export const POOL_SIZE = 40

/** Passes values through as Postgres sent them: the driver in the Worker parses them. */
const RAW_TEXT = { getTypeParser: () => (value: string) => value }

export async function startNeonProxy({ port = 0 }: { port?: number } = {}): Promise<NeonProxy> {
  const pools = new Map<string, pg.Pool>()
  const server = createServer((request, response) => void respond(request, response))
  const proxy = {
    url: await listen(server, port),
    statements: 0,
    onStatement: undefined as NeonProxy['onStatement'],
    async close() {
      await close(server)
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const result = await execute(request, watchCaller(response))
      send(response, 200, { ...result, rowAsArray: true })
    } catch (error) {
      if (error instanceof ResponseCutOff) cutOff(response)
      else if (error instanceof ResponseLost || error instanceof CallerGone) response.destroy()
      else sendError(response, error)
    }
  }

  async function execute(
    request: IncomingMessage,
    caller: Caller,
  ): Promise<Pick<StatementResult, 'command' | 'rowCount' | 'fields' | 'rows'>> {
    const connectionString = ConnectionString.parse(request.headers['neon-connection-string'])
    const statement = Statement.parse(JSON.parse(await readBody(request)))
    proxy.statements += 1
    const query = {
      text: statement.query,
      values: statement.params,
      rowMode: 'array' as const,
      types: RAW_TEXT,
    }
    const { command, rowCount, fields, rows } = await runForCaller(
      getPool(connectionString),
      query,
      caller,
      (run) => proxy.onStatement?.(statement, run) ?? run(),
    )
    return { command, rowCount, fields, rows }
  }

  function getPool(connectionString: string): pg.Pool {
    const known = pools.get(connectionString)
    if (known) return known
    const pool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 10_000 })
    openOneAtATime(pool)
    // An idle connection fails when Postgres is killed. The pool drops it, and the next statement opens another.
    pool.on('error', () => undefined)
    // A lost connection fails the current or the next statement, which reports it.
    pool.on('connect', (client) => client.on('error', () => undefined))
    pools.set(connectionString, pool)
    return pool
  }

  return proxy
}

/**
 * Opens the next connection only once the last one is open, as PgBouncer does (`launch_new_connection` in its src/objects.c): most of many
 * concurrent callers are served by a connection released meanwhile, so Postgres starts few processes.
 */
function openOneAtATime(pool: pg.Pool): void {
  const allowOneMore = () => {
    pool.options.max = Math.min(pool.totalCount + 1, POOL_SIZE)
  }
  pool.on('remove', allowOneMore)
  pool.on('connect', () => {
    allowOneMore()
    // Releasing it hands the connection to a waiting caller.
    if (pool.waitingCount > 0) pool.connect((_, __, release) => release())
  })
}

/** Uses listeners because they are faster than `for await`: every database call of the local world passes here. */
function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => {
      body += text
    })
    request.once('end', () => resolve(body))
    request.once('error', reject)
  })
}

function watchCaller(response: ServerResponse): Caller {
  const caller: Caller = { isGone: false, onGone: undefined }
  response.once('close', () => {
    if (response.writableFinished) return
    caller.isGone = true
    caller.onGone?.()
  })
  return caller
}

/** As Neon does: 400 with Postgres's fields for a Postgres error, 500 if Postgres did not answer. */
function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof pg.DatabaseError) {
    const { name: _name, length: _length, ...fields } = error
    send(response, 400, { ...fields, message: error.message })
  } else {
    send(response, 500, { message: error instanceof Error ? error.message : String(error) })
  }
}

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 })
  response.write('{"command":', () => response.destroy())
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body)) // without writeHead(), headers and body are sent in one write, with a Content-Length
}
