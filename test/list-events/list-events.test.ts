import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { withClient } from '../../cli/database.ts'
import { toCursor } from '../../functions/list-events/contract.ts'
import { call } from '../support/call.ts'
import { findSequenceErrors, untilAllDelivered } from '../support/owner-events.ts'
import { paywallFile, writtenWebhooks } from '../support/paywall-file.ts'
import { refusal } from '../support/refusal.ts'
import { testRows } from '../support/rows.ts'
import { person, startTenants, type Tenant, type Tenants, tenant } from '../support/tenants.ts'
import { changeBalance } from '../support/token-calls.ts'

const Listed = z.object({
  events: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      is_test: z.boolean(),
      data: z.looseObject({ sequence: z.int(), user: z.object({ id: z.uuid().nullable() }).loose() }),
    }),
  ),
  next_cursor: z.string(),
  has_more: z.boolean(),
})

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})
afterAll(() => tenants.close())

const ask = (query: Record<string, string> = {}, key = tenants.ours.key) =>
  call(tenants.world, `/api/v1/events?${new URLSearchParams(query)}`, { key })

const list = async (query: Record<string, string> = {}, key?: string) => Listed.parse((await ask(query, key)).body)

/** All events after a cursor, in pages of a size. */
async function listAll(after?: string, { key, limit = '100' }: { key?: string; limit?: string } = {}) {
  const events: z.output<typeof Listed>['events'] = []
  let page: z.output<typeof Listed>
  do {
    page = await list({ limit, ...(after !== undefined && { after }) }, key)
    events.push(...page.events)
    after = page.next_cursor
  } while (page.has_more)
  return { events, cursor: after }
}

/** A new owner whose webhook endpoint gets `balance.changed`, too. */
async function newOwner(): Promise<Tenant> {
  const webhooks = writtenWebhooks(tenants.world.file).map((each) => ({ ...each, events: ['*', 'balance.changed'] }))
  const owner = tenant(await paywallFile({ webhooks }))
  await tenants.world.apply(owner.file)
  return owner
}

const credit = (owner: Tenant, userId: string) =>
  changeBalance(tenants.world, { user_id: userId }, { paywallId: owner.paywall.id, key: owner.key })

describe('refusals', () => {
  testRows([
    ['401 no key', () => call(tenants.world, '/api/v1/events'), 401, refusal('Unauthorized')],
    ['401 bad key', () => ask({}, 'pk_test_0'), 401, refusal('Invalid API key')],
    ['401 bad key with a bad cursor', () => ask({ after: '?' }, 'pk_test_0'), 401, refusal('Invalid API key')],
    ['400 invalid_cursor', () => ask({ after: '?' }), 400, refusal('invalid_cursor')],
    ['400 invalid_cursor, empty', () => ask({ after: '' }), 400, refusal('invalid_cursor')],
    ['400 invalid_cursor, no number', () => ask({ after: btoa('evt_1') }), 400, refusal('invalid_cursor')],
    ['400 invalid_limit', () => ask({ limit: '101' }), 400, refusal('invalid_limit')],
    ['400 invalid_limit, zero', () => ask({ limit: '0' }), 400, refusal('invalid_limit')],
    [
      '405',
      () => call(tenants.world, '/api/v1/events', { key: tenants.ours.key, body: {} }),
      405,
      refusal('method_not_allowed'),
    ],
  ])
})

test('lists the bodies that were sent to the webhook endpoint, once each, in pages of any size', async () => {
  const { world, payer } = tenants
  await untilAllDelivered(world)
  const sent = world.receiver.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.user.id === payer.id)
  const { events, cursor } = await listAll()
  expect(events.filter(({ data }) => data.user.id === payer.id)).toEqual(sent)
  expect(events.length).toBeGreaterThan(2)
  expect((await listAll(undefined, { limit: '1' })).events).toEqual(events)
  expect(await list({ after: cursor! })).toEqual({ events: [], next_cursor: cursor, has_more: false })
})

test('lists the events of the key’s owner and mode only', async () => {
  const { ours, foreign, live } = tenants
  for (const { key, paywall } of [ours, foreign, live]) {
    const { events } = await listAll(undefined, { key })
    for (const { is_test, data } of events) expect([is_test, data.paywall_id]).toEqual([paywall.is_test, paywall.id])
  }
})

test('an event whose transaction commits late is listed after the cursor that has passed it', async () => {
  const owner = await newOwner()
  const { id } = await person(tenants.world, owner)
  await credit(owner, id)
  const { cursor } = await listAll(undefined, owner)
  const late = `evt_${'0'.repeat(32)}`
  await withClient(tenants.world.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query(
      `insert into events (id, owner_id, is_test, paywall_id, sequence, type, body)
       select $1, owner_id, is_test, paywall_id, 1, type, jsonb_set(body::jsonb, '{id}', to_jsonb($1::text))
       from events where paywall_id = $2 limit 1`,
      [late, owner.paywall.id],
    )
    await credit(owner, id)
    const passed = await listAll(cursor, owner)
    expect(passed.events).toHaveLength(1)
    await client.query('commit')
    expect((await listAll(passed.cursor, owner)).events).toMatchObject([{ id: late }])
  })
})

test('while 50 callers write at once, readers miss nothing, repeat nothing, and see each user’s events in order', async () => {
  const owner = await newOwner()
  const users = await Promise.all(Array.from({ length: 10 }, () => person(tenants.world, owner)))
  let isWriting = true
  const read = async () => {
    const all = await listAll(undefined, { key: owner.key, limit: '7' })
    while (isWriting) {
      const more = await listAll(all.cursor, { key: owner.key, limit: '7' })
      all.events.push(...more.events)
      all.cursor = more.cursor
      await delay(1)
    }
    all.events.push(...(await listAll(all.cursor, owner)).events)
    return all.events
  }
  const readers = [read(), read(), read()]
  const calls = Array.from({ length: 50 }, (_, caller) =>
    Array.from({ length: 4 }, () => users[caller % users.length]!.id).reduce<Promise<unknown>>(
      (earlier, id) => earlier.then(() => credit(owner, id)),
      Promise.resolve(),
    ),
  )
  await Promise.all(calls)
  isWriting = false
  const { rows } = await tenants.world.database.query('select id from events where paywall_id = $1', [owner.paywall.id])
  for (const events of await Promise.all(readers)) {
    expect(events.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    for (const { id } of users) {
      const own = events.filter(({ data }) => data.user.id === id).map((event) => ({ ...event, times: 1 }))
      expect(findSequenceErrors(own)).toEqual([])
    }
  }
})

test('after events were redacted, an older cursor is 410 with the oldest one that works', async () => {
  const owner = await newOwner()
  const { id } = await person(tenants.world, owner)
  await credit(owner, id)
  const { events: old } = await listAll(undefined, owner)
  await untilAllDelivered(tenants.world)
  await tenants.world.database.query(
    `update events set created_at = created_at - interval '31 days', purge_at = purge_at - interval '31 days'
     where paywall_id = $1`,
    [owner.paywall.id],
  )
  await tenants.world.workers.scheduled('purge-expired')
  await credit(owner, id)
  const expired = await ask({ after: toCursor(1) }, owner.key)
  expect(expired).toMatchObject({ status: 410, body: refusal('cursor_expired') })
  const { oldest_cursor: oldest } = z.object({ oldest_cursor: z.string() }).parse(expired.body)
  const kept = await listAll(oldest, owner)
  expect(kept.events).toHaveLength(1)
  expect(old.map((event) => event.id)).not.toContain(kept.events[0]!.id)
  expect((await listAll(undefined, owner)).events).toEqual(kept.events)
})

test('a cursor stays good if the database is restored to a time before it was returned', async () => {
  const owner = await newOwner()
  const { id } = await person(tenants.world, owner)
  await credit(owner, id)
  const before = await listAll(undefined, owner)
  await credit(owner, id)
  const { cursor } = await listAll(before.cursor, owner)
  // What a restore to the time of `before` loses: the position of the last event, and, once written again, the event is another one.
  await tenants.world.database.query(
    'update events set position = null where position = (select max(position) from events where paywall_id = $1)',
    [owner.paywall.id],
  )
  await credit(owner, id)
  expect((await listAll(cursor, owner)).events.map(({ data }) => data.sequence)).toEqual([3, 4])
})
