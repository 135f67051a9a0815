import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { leaksIn } from '../support/leaks.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { findFault } from './check-response.ts'
import { generate } from './generate.ts'
import { type People, startPeople } from './people.ts'
import { connections, send } from './send.ts'

/** FUZZ_SEED makes the same requests again; FUZZ_REQUESTS makes fewer or more. */
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (FULL_SIZE ? 20_000 : 500))
const AT_ONCE = 16
/** Stops after this many faults: more would be of the same kinds. */
const MOST_FAULTS = 10

let people: People

beforeAll(async () => {
  people = await startPeople()
})

afterAll(() => people.world.close())

/** All rows of the neighbour's paywall. */
async function readNeighbourRows(): Promise<unknown> {
  const tables = ['members', 'checkouts', 'purchases', 'balances', 'ledger', 'events', 'tickets', 'paywalls']
  const { id } = people.neighbour.paywall
  return Promise.all(
    tables.map(async (table) => {
      const name = table === 'paywalls' ? 'id' : 'paywall_id'
      const { rows } = await people.world.database.query(
        `select to_jsonb(t) as row from ${table} t where ${name} = $1 order by to_jsonb(t)::text`,
        [id],
      )
      return rows
    }),
  )
}

test(`${REQUESTS} hostile requests get documented responses (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, async () => {
  const { world, neighbour } = people
  // Some requests have the neighbour's own key: its events get their positions when it lists them for the first time.
  expect(await call(world, '/api/v1/events', { key: neighbour.key })).toMatchObject({ status: 200 })
  const before = await readNeighbourRows()
  const secrets = [...Object.values(world.secrets), neighbour.key, world.databaseUrl]
  const agent = connections(AT_ONCE)
  const faults: unknown[] = []
  const countReplies: Record<string, number> = {}
  let next = 0
  async function keepSending(): Promise<void> {
    while (next < REQUESTS && faults.length < MOST_FAULTS) {
      const number = next++
      const request = generate(SEED + number, people)
      const response = await send(world.url, request, agent).catch((cause: Error) => cause)
      const fault = response instanceof Error ? 'no response' : findFault(request, response, secrets)
      if (fault) faults.push({ seed: SEED + number, fault, ...shortened(request), response })
      if (!(response instanceof Error)) countReplies[response.status] = (countReplies[response.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, keepSending))
  agent.destroy()

  expect(faults, `FUZZ_SEED=${SEED}`).toEqual([])
  expect(countReplies[200], 'valid requests are among them').toBeGreaterThan(REQUESTS / 10)
  expect(countReplies[400], 'and invalid ones').toBeGreaterThan(REQUESTS / 10)
  expect(await readNeighbourRows()).toEqual(before)
})

const shortened = ({ body, ...request }: ReturnType<typeof generate>) => ({
  ...request,
  body: body?.toString().slice(0, 500),
})

test('afterwards the ledger adds up', async () => {
  expect(await verifyLedger(people.world.databaseUrl)).toMatchObject({ code: 0 })
})

test('afterwards no purchase was created or ended', async () => {
  const { rows } = await people.world.database.query(
    `select u.email, p.status from purchases p join users u on u.id = p.user_id order by p.created_at`,
  )
  const { subscribers, neighbours } = people
  expect(rows.map(({ email }) => email).toSorted()).toEqual(
    [neighbours, ...subscribers].map(({ email }) => email).toSorted(),
  )
  expect(rows.every(({ status }) => status === 'active' || status === 'trialing')).toBe(true)
})

test('afterwards the service answers as before', async () => {
  const { world, subscribers } = people
  for (const { token, id } of subscribers) {
    const reply = await call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
    expect(reply).toMatchObject({ status: 200, body: { user: { id }, paid: true } })
  }
})

test('the logs contain no error and no secret', () => {
  expect(people.world.logs.filter(({ message }) => /"level":"error"|unexpected failure/.test(message))).toEqual([])
  expect(leaksIn(people.world)).toEqual([])
})
