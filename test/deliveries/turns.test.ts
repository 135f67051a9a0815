import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Lease, LeasedDelivery } from '../../functions/deliver-events/leased-delivery.ts'
import { beginRound, goOn, type Round } from '../../functions/deliver-events/round.ts'
import { leaseDeliveries, recordDelivery } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { freshDatabase } from '../support/databases.ts'

// Who gets the slots, with more webhook endpoints than one lease looks at. The leases are those of a sweep that has nothing
// else to do: each attempt has ended before the next lease.

/** More than three leases look at. */
const MANY = 1_000
const SLOTS = 5
const FAILING_SLOTS = 2

let client: pg.Client
let db: Database
let round: Round

beforeEach(async () => {
  await client?.end()
  client = new pg.Client({ connectionString: await freshDatabase() })
  await client.connect()
  db = { call: async (statement, parameters) => (await client.query(statement, parameters)).rows[0].result }
  round = beginRound()
  await client.query(`
    insert into owners (email) values ('owner@turns.example');
    insert into paywalls (id, owner_id, name, is_test, acquiring, settings, geo, offers, layout, locales)
    select '1', id, 'Turns', true, 'stripe', '{}', '{}', '[]', '{}', '{}' from owners`)
})
afterAll(() => client.end())

interface Others {
  count: number
  /** About so many members each has a delivery that is due. */
  members?: number
  failures?: number
  disabled?: boolean
  dueIn?: string
}

/** Webhook endpoints for which something waits. Returns their ids. */
async function waiting({ count, members = 1, failures = 0, disabled = false, dueIn = '0' }: Others): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with opened as (
      insert into webhook_endpoints (owner_id, url, secret, events, failures, disabled_at)
      select id, 'https://' || gen_random_uuid() || '.example', 'x', '{*}', $2, case when $3 then now() end
      from owners, generate_series(1, $1) returning id
    ), people as (
      insert into users select gen_random_uuid() from generate_series(1, $4) returning id
    ), joined as (
      insert into members (paywall_id, user_id) select '1', id from people
    ), happened as (
      insert into events (id, paywall_id, user_id, sequence, type, body)
      select 'evt_' || replace(gen_random_uuid()::text, '-', ''), '1', id, 1, 'ticket.created', '{}' from people
      returning id, user_id
    )
    insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
    select h.id, o.id, '1', h.user_id, 1, now() + $5::interval - row_number() over () * interval '1 microsecond'
    from happened h, opened o
    returning endpoint_id as id`,
    [count, failures, disabled, members, dueIn],
  )
  return [...new Set(rows.map(({ id }) => id))]
}

/** One lease. Its attempts end at once: those at webhook endpoints that fail in vain. */
async function lease(): Promise<Lease> {
  const holder = randomUUID()
  const leased = await leaseDeliveries<Lease>(db, { holder, count: SLOTS, failingCount: FAILING_SLOTS, ...round })
  for (const delivery of leased.deliveries) await end(delivery, holder)
  round = goOn(round, leased)
  return leased
}

async function end({ event_id, endpoint_id, attempts, is_failing }: LeasedDelivery, holder: string): Promise<void> {
  await recordDelivery(db, {
    ...{ eventId: event_id, endpointId: endpoint_id, holder, attempts, disable: false, retryInSeconds: 3600 },
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

/** Goes all round once. Returns in how many leases. */
async function goRound(): Promise<number> {
  for (let leases = 1; ; leases += 1) if ((await lease()).place === null) return leases
}

test('each of many webhook endpoints has a turn before any has its second', async () => {
  await waiting({ count: MANY / 2, members: 3 })
  for (const time of ['first', 'second', 'third']) {
    const told = (await turns(MANY / 2 / SLOTS)).flat()
    expect(told, `the ${time} time`).toHaveLength(MANY / 2)
    expect(new Set(told).size, `the ${time} time`).toBe(MANY / 2)
  }
})

test.each<[string, Omit<Others, 'count'>]>([
  ['disabled', { disabled: true }],
  ['not due', { dueIn: '1 hour' }],
  ['failing', { failures: 1, members: 20 }],
])('a lease passes only some of those that are %s, and a few come to all who wait', async (_which, others) => {
  await waiting({ count: MANY, ...others })
  const [good] = await waiting({ count: 1 })
  expect((await turns(6)).flat()).toContain(good)

  await client.query('update webhook_endpoints set disabled_at = now() where failures > 0')
  round = beginRound()
  const leases = await goRound()
  expect(leases).toBeGreaterThan(3)
  expect(leases).toBeLessThan(7)
})

test('one that is busy keeps three slots, however many stand between its turns', async () => {
  await waiting({ count: MANY, dueIn: '1 hour' })
  const [busy] = await waiting({ count: 1, members: 100 })
  const told = await turns(26)
  expect(told.slice(6).map((each) => each.length)).toEqual(Array(20).fill(3))
  expect(new Set(told.flat())).toEqual(new Set([busy]))
})

test('those that fail have two slots, and each of them has turns, beside one that takes all it is given', async () => {
  const failing = await waiting({ count: 30, failures: 1, members: 100 })
  const [good] = await waiting({ count: 1, members: 3_000 })
  const told = await turns(400)
  const countIn = (ids: string[], some: string[]) => ids.filter((id) => some.includes(id)).length
  for (const ids of told) expect([countIn(ids, failing), countIn(ids, [good!])]).toEqual([2, 3])
  expect(new Set(told.flat())).toEqual(new Set([...failing, good]))
})
