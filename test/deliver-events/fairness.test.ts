import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Lease, LeasedDelivery } from '../../functions/deliver-events/leased-delivery.ts'
import { advance, type ScanCursor, startScan } from '../../functions/deliver-events/scan-cursor.ts'
import { leaseDeliveries, recordDelivery } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { freshDatabase } from '../support/databases.ts'
import { type Waiting, waiting } from '../support/pending-endpoints.ts'

// Who gets the slots, with more webhook endpoints than one lease looks at. The leases are those of a sweep that has nothing
// else to do: each attempt has ended before the next lease.

/** As in lease-deliveries.sql. */
const STEPS = 100

/** More than three leases look at, and four do. */
const MANY = 3.5 * STEPS
const SLOTS = 5
const FAILING_SLOTS = 2

let client: pg.Client
let db: Database
let round: ScanCursor

beforeEach(async () => {
  await client?.end()
  client = new pg.Client({ connectionString: await freshDatabase() })
  await client.connect()
  db = { call: async (statement, parameters) => (await client.query(statement, parameters)).rows[0].result }
  round = startScan()
  await client.query(`
    insert into owners (email) values ('owner@turns.example');
    insert into paywalls (id, owner_id, name, is_test, acquiring, settings, geo, offers, layout, locales)
    select '1', id, 'Turns', true, 'stripe', '{}', '{}', '[]', '{}', '{}' from owners`)
})
afterAll(() => client.end())

const leaseFor = (holder: string) =>
  leaseDeliveries<Lease>(db, { holder, count: SLOTS, failingCount: FAILING_SLOTS, ...round })

/** One lease. Its attempts end at once: those at webhook endpoints that fail in vain. */
async function lease(): Promise<Lease> {
  const holder = randomUUID()
  const leased = await leaseFor(holder)
  for (const delivery of leased.deliveries) await end(delivery, holder)
  round = advance(round, leased)
  return leased
}

async function end({ event_id, endpoint_id, attempts, is_failing }: LeasedDelivery, holder: string): Promise<void> {
  await recordDelivery(db, {
    eventId: event_id,
    endpointId: endpoint_id,
    holder,
    attempts,
    disable: false,
    retryInSeconds: 3600,
    state: is_failing ? 'pending' : 'delivered',
  })
}

/** The webhook endpoints that got a turn in each of so many leases. */
async function turns(leases: number): Promise<string[][]> {
  const all: string[][] = []
  for (let time = 0; time < leases; time += 1) {
    all.push((await lease()).deliveries.map(({ endpoint_id }) => endpoint_id))
  }
  return all
}

/** Goes all round once. Returns in how many leases, if these are few. */
async function goRound(): Promise<number> {
  for (let leases = 1; leases < 20; leases += 1) if ((await lease()).cursor === null) return leases
  throw new Error('the round does not end')
}

test('each of many webhook endpoints has a turn before any has its second', async () => {
  await waiting(client, { count: MANY, members: 3 })
  for (const time of ['first', 'second', 'third']) {
    const ids = (await turns(MANY / SLOTS)).flat()
    expect(ids, `the ${time} time`).toHaveLength(MANY)
    expect(new Set(ids).size, `the ${time} time`).toBe(MANY)
  }
})

test.each<[string, Omit<Waiting, 'count'>]>([
  ['disabled', { disabled: true }],
  ['not due', { dueIn: '1 hour' }],
  ['failing', { failures: 1, members: 20 }],
])('a lease passes only some of those that are %s, and a few come to all who wait', async (_which, others) => {
  await waiting(client, { count: MANY, ...others })
  const [good] = await waiting(client, { count: 1 })
  expect((await turns(5)).flat()).toContain(good)

  await client.query('update webhook_endpoints set disabled_at = now() where failures > 0')
  round = startScan()
  expect(await goRound()).toBe(4)
})

test.each([1, STEPS - 1, STEPS, STEPS + 1, 2 * STEPS])('a round of %i ends where it began', async (count) => {
  const [first] = await waiting(client, { count, dueIn: '1 hour' })
  round = { after: first!, until: first!, recent: [] }
  expect(await goRound()).toBe(Math.ceil(count / STEPS))
})

test('one that is busy keeps three slots, however many stand between its turns', async () => {
  await waiting(client, { count: MANY, dueIn: '1 hour' })
  const [busy] = await waiting(client, { count: 1, members: 100 })
  const leases = await turns(25)
  expect(leases.slice(5).map((each) => each.length)).toEqual(Array(20).fill(3))
  expect(new Set(leases.flat())).toEqual(new Set([busy]))
})

test('one that took an event again fails no longer: it has three slots at once', async () => {
  const [back] = await waiting(client, { count: 1, failures: 3, members: 20 })
  const holder = randomUUID()
  const [first, ...more] = (await leaseFor(holder)).deliveries
  expect([first, more]).toMatchObject([{ endpoint_id: back, is_failing: true }, []])
  await end({ ...first!, is_failing: false }, holder)
  const { deliveries } = await leaseFor(randomUUID())
  expect(deliveries.map(({ is_failing }) => is_failing)).toEqual([false, false, false])
})

test('those that fail have two slots, and each of them has turns, beside one that takes all it is given', async () => {
  const failing = await waiting(client, { count: 20, failures: 1, members: 100 })
  const [good] = await waiting(client, { count: 1, members: 1_000 })
  const leases = await turns(150)
  const countIn = (ids: string[], some: string[]) => ids.filter((id) => some.includes(id)).length
  for (const ids of leases) expect([countIn(ids, failing), countIn(ids, [good!])]).toEqual([2, 3])
  expect(new Set(leases.flat())).toEqual(new Set([...failing, good]))
})
