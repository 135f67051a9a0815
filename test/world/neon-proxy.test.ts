import { neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { type NeonProxy, POOL_SIZE, ResponseLost, startNeonProxy } from '../../dev/world/database/neon-proxy.ts'
import { type Caller, CallerGone, runForCaller } from '../../dev/world/database/run-for-caller.ts'
import { freePort } from '../../dev/world/ports.ts'
import { freshDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'

let proxy: NeonProxy
let url: string

beforeAll(async () => {
  ;[proxy, url] = await Promise.all([startNeonProxy(), freshDatabase()])
  neonConfig.fetchEndpoint = proxy.url
})

afterAll(() => proxy.close())

test("returns values in the official driver's types", async () => {
  const query = neon(url)
  const [row] = await query`
    select ${1}::int as one, ${[1, 2]}::int[] as list, ${'x'}::text as text, ${null}::text as nothing,
           ${true}::boolean as yes, ${{ a: 1 }}::jsonb as json, 9007199254740993::bigint as big`
  expect(row).toEqual({
    one: 1,
    list: [1, 2],
    text: 'x',
    nothing: null,
    yes: true,
    json: { a: 1 },
    big: '9007199254740993',
  })
})

test('returns how many rows a statement changed', async () => {
  const query = neon(url, { fullResults: true })
  await query`create table counted (n int)`
  expect(await query`insert into counted select generate_series(1, 3)`).toMatchObject({ rowCount: 3 })
})

test("returns errors with Postgres's own fields", async () => {
  const query = neon(url)
  await expect(query`select * from nowhere`).rejects.toMatchObject({
    message: 'relation "nowhere" does not exist',
    code: '42P01',
    position: '15',
    severity: 'ERROR',
  })
  await expect(query`insert into owners (email) values ('UPPER@example.com')`).rejects.toMatchObject({
    code: '23514',
    table: 'owners',
    constraint: 'owners_email_check',
  })
})

test('callers at once share few connections while statements are short', async () => {
  const query = neon(url)
  const rows = await Promise.all(Array.from({ length: 200 }, () => query`select pg_backend_pid() as pid`))
  expect(new Set(rows.map(([row]) => row?.pid)).size).toBeLessThan(POOL_SIZE / 2)
})

test('statements that all wait for a lock get a connection each', async () => {
  const query = neon(url)
  await withClient(url, async (holder) => {
    await holder.query('select pg_advisory_lock(7)')
    const waiting = Promise.all(Array.from({ length: POOL_SIZE }, () => query`select pg_advisory_xact_lock_shared(7)`))
    await until('all of them wait', async () => {
      const { rowCount } = await holder.query(
        `select from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      )
      return rowCount === POOL_SIZE
    })
    await holder.query('select pg_advisory_unlock(7)')
    await waiting
  })
})

test('returns a server error if Postgres cannot be reached', async () => {
  const query = neon(`postgres://postgres:x@127.0.0.1:${await freePort()}/nowhere`)
  await expect(query`select 1`).rejects.toThrow(/HTTP status 500.*ECONNREFUSED/)
})

test('counts statements', async () => {
  const query = neon(url)
  const before = proxy.statements
  await Promise.all([query`select 1`, query`select 2`])
  expect(proxy.statements - before).toBe(2)
})

test('lets a test lose the response to a committed statement', async () => {
  const query = neon(url)
  proxy.onStatement = async (_statement, run) => {
    await run()
    throw new ResponseLost()
  }
  await expect(query`insert into owners (email) values ('lost@example.com')`).rejects.toThrow('Error connecting')
  proxy.onStatement = undefined
  expect(await query`select email from owners where email = 'lost@example.com'`).toHaveLength(1)
})

describe('when the caller closes its request', () => {
  /** The driver sends a statement only when it is awaited. */
  const sent = async <Result>(statement: PromiseLike<Result>) => statement

  /** The states of the connections whose current or last statement is one of this test. */
  async function connectionStates(): Promise<string[]> {
    return withClient(url, async (client) => {
      const { rows } = await client.query<{ state: string }>(
        `select state from pg_stat_activity where datname = current_database() and query like '%given up%' and pid <> pg_backend_pid()`,
      )
      return rows.map(({ state }) => state)
    })
  }

  test('a running statement is cancelled', async () => {
    const caller = new AbortController()
    const query = neon(url, { fetchOptions: { signal: caller.signal } })
    const statement = sent(query`insert into owners (email) select 'given up' || pg_sleep(600)`)
    await until('the statement to run', async () => (await connectionStates()).includes('active'))
    caller.abort()
    await expect(statement).rejects.toThrow('aborted')
    await until('the connection to be closed', async () => (await connectionStates()).length === 0)
  })

  test('a statement that waits for a connection never runs', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    await pool.query('create table waited (n int)')
    const onlyConnection = await pool.connect()
    const caller: Caller = { isGone: false, onGone: undefined }
    const late = runForCaller(pool, { text: 'insert into waited values (1)', rowMode: 'array' }, caller)
    caller.isGone = true
    caller.onGone?.()
    await expect(late).rejects.toThrow(CallerGone)
    onlyConnection.release()
    expect((await pool.query('select from waited')).rowCount).toBe(0)
    await pool.end()
  })
})
