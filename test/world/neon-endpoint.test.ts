import { neon, neonConfig } from '@neondatabase/serverless'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AnswerLost, type NeonEndpoint, startNeonEndpoint } from '../../dev/world/database/neon-endpoint.ts'
import { freePort } from '../../dev/world/ports.ts'
import { freshDatabase } from '../support/databases.ts'

let endpoint: NeonEndpoint
let url: string

beforeAll(async () => {
  ;[endpoint, url] = await Promise.all([startNeonEndpoint(), freshDatabase()])
  neonConfig.fetchEndpoint = endpoint.url
})

afterAll(() => endpoint.close())

test('gives values back as the official driver knows them', async () => {
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

test('tells how many rows a statement changed', async () => {
  const query = neon(url, { fullResults: true })
  await query`create table counted (n int)`
  expect(await query`insert into counted select generate_series(1, 3)`).toMatchObject({ rowCount: 3 })
})

test("passes a refusal on with Postgres's own fields", async () => {
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

test('says that Postgres cannot be reached with a server error', async () => {
  const query = neon(`postgres://postgres:x@127.0.0.1:${await freePort()}/nowhere`)
  await expect(query`select 1`).rejects.toThrow(/HTTP status 500.*ECONNREFUSED/)
})

test('counts statements', async () => {
  const query = neon(url)
  const before = endpoint.statements
  await Promise.all([query`select 1`, query`select 2`])
  expect(endpoint.statements - before).toBe(2)
})

test('lets a test lose the answer of a statement that has committed', async () => {
  const query = neon(url)
  endpoint.onStatement = async (_statement, run) => {
    await run()
    throw new AnswerLost()
  }
  await expect(query`insert into owners (email) values ('lost@example.com')`).rejects.toThrow('Error connecting')
  endpoint.onStatement = undefined
  expect(await query`select email from owners where email = 'lost@example.com'`).toHaveLength(1)
})
