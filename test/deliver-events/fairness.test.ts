import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Lease, LeasedDelivery } from '../../functions/deliver-events/leased-delivery.ts'
import { advance, type ScanCursor, startScan } from '../../functions/deliver-events/scan-cursor.ts'
import { leaseDeliveries, recordDelivery } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { freshDatabase } from '../support/databases.ts'
import { insertPendingEndpoints, type PendingEndpoints } from '../support/pending-endpoints.ts'

// How slots are shared among more webhook endpoints than one lease scans. Each attempt ends before the next lease, as in a sweep
// that has nothing else to do.

/** As in lease-deliveries.sql. */
const SCANNED_PER_LEASE = 100

/** More webhook endpoints than three leases scan, but not more than four do. */
const MANY = 3.5 * SCANNED_PER_LEASE
const SLOTS = 5
const FAILING_SLOTS = 2

let client: pg.Client
let db: Database
let cursor: ScanCursor

beforeEach(async () => {
  await client?.end()
  client = new pg.Client({ connectionString: await freshDatabase() })
  await client.connect()
  db = { call: async (statement, parameters) => (await client.query(statement, parameters)).rows[0].result }
  cursor = startScan()
  await client.query(`
    insert into owners (email) values ('owner@turns.example');
    insert into paywalls (id, owner_id, name, is_test, acquiring, settings, geo, offers, layout, locales)
    select '1', id, 'Turns', true, 'stripe', '{}', '{}', '[]', '{}', '{}' from owners`)
})
afterAll(() => client.end())

const leaseFor = (holder: string) =>
  leaseDeliveries<Lease>(db, { holder, count: SLOTS, failingCount: FAILING_SLOTS, ...cursor })

/** Makes one lease and ends its attempts at once: those at failing webhook endpoints fail. */
async function lease(): Promise<Lease> {
  const holder = randomUUID()
  const leased = await leaseFor(holder)
  for (const delivery of leased.deliveries) await recordAttempt(delivery, holder)
  cursor = advance(cursor, leased)
  return leased
}

async function recordAttempt(
  { event_id, endpoint_id, attempts, is_failing }: LeasedDelivery,
  holder: string,
): Promise<void> {
  await recordDelivery(db, {
    eventId: event_id,
    endpointId: endpoint_id,
    holder,
    attempts,
    disable: false,
    retryInSeconds: 3600,
    milliseconds: 1,
    state: is_failing ? 'pending' : 'delivered',
  })
}

/** Makes this many leases. Returns the webhook endpoints of the attempts in each. */
async function leaseRepeatedly(leases: number): Promise<string[][]> {
  const all: string[][] = []
  for (let time = 0; time < leases; time += 1) {
    all.push((await lease()).deliveries.map(({ endpoint_id }) => endpoint_id))
  }
  return all
}

/** Makes leases until the scan is complete. Returns their number. */
async function completeScan(): Promise<number> {
  for (let leases = 1; leases < 20; leases += 1) if ((await lease()).cursor === null) return leases
  throw new Error('the scan does not end')
}

test('every webhook endpoint gets an attempt before any gets its second', async () => {
  await insertPendingEndpoints(client, { count: MANY, members: 3 })
  for (const time of ['first', 'second', 'third']) {
    const ids = (await leaseRepeatedly(MANY / SLOTS)).flat()
    expect(ids, `the ${time} time`).toHaveLength(MANY)
    expect(new Set(ids).size, `the ${time} time`).toBe(MANY)
  }
})

test.each<[string, Omit<PendingEndpoints, 'count'>]>([
  ['disabled', { disabled: true }],
  ['not due', { dueIn: '1 hour' }],
  ['failing', { failures: 1, members: 20 }],
])(
  'a lease skips only some of the endpoints that are %s, and a few leases reach all the others',
  async (_which, others) => {
    await insertPendingEndpoints(client, { count: MANY, ...others })
    const [good] = await insertPendingEndpoints(client, { count: 1 })
    expect((await leaseRepeatedly(5)).flat()).toContain(good)

    await client.query('update webhook_endpoints set disabled_at = now() where failures > 0')
    cursor = startScan()
    expect(await completeScan()).toBe(4)
  },
)

test.each([1, SCANNED_PER_LEASE - 1, SCANNED_PER_LEASE, SCANNED_PER_LEASE + 1, 2 * SCANNED_PER_LEASE])(
  'a scan of %i webhook endpoints ends where it began',
  async (count) => {
    const [first] = await insertPendingEndpoints(client, { count, dueIn: '1 hour' })
    cursor = { after: first!, until: first!, recent: [] }
    expect(await completeScan()).toBe(Math.ceil(count / SCANNED_PER_LEASE))
  },
)

test('a busy endpoint keeps three slots, however many endpoints are scanned between its attempts', async () => {
  await insertPendingEndpoints(client, { count: MANY, dueIn: '1 hour' })
  const [busy] = await insertPendingEndpoints(client, { count: 1, members: 100 })
  const leases = await leaseRepeatedly(25)
  expect(leases.slice(5).map((each) => each.length)).toEqual(Array(20).fill(3))
  expect(new Set(leases.flat())).toEqual(new Set([busy]))
})

test('an endpoint that accepts an event again is no longer failing, and gets three slots at once', async () => {
  const [recovered] = await insertPendingEndpoints(client, { count: 1, failures: 3, members: 20 })
  const holder = randomUUID()
  const [first, ...more] = (await leaseFor(holder)).deliveries
  expect([first, more]).toMatchObject([{ endpoint_id: recovered, is_failing: true }, []])
  await recordAttempt({ ...first!, is_failing: false }, holder)
  const { deliveries } = await leaseFor(randomUUID())
  expect(deliveries.map(({ is_failing }) => is_failing)).toEqual([false, false, false])
})

test('failing endpoints share two slots and all get attempts, and a working one gets the other three', async () => {
  const failing = await insertPendingEndpoints(client, { count: 20, failures: 1, members: 100 })
  const [good] = await insertPendingEndpoints(client, { count: 1, members: 1_000 })
  const leases = await leaseRepeatedly(150)
  const countIn = (ids: string[], some: string[]) => ids.filter((id) => some.includes(id)).length
  for (const ids of leases) expect([countIn(ids, failing), countIn(ids, [good!])]).toEqual([2, 3])
  expect(new Set(leases.flat())).toEqual(new Set([...failing, good]))
})
