import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { withClient } from '../../cli/database.ts'
import { parseCursor, toCursor } from '../../functions/list-events/contract.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { findSequenceErrors, untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { fileOfBothModes, paywallFile, writtenWebhooks } from '../support/paywall-file.ts'
import { refusal } from '../support/refusal.ts'
import { testRows } from '../support/rows.ts'
import { getTenants, person, startTenants, type Tenant, type Tenants, tenant } from '../support/tenants.ts'
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
    ['400 invalid_cursor, half of one', () => ask({ after: 'hj2z4k0w5c' }), 400, refusal('invalid_cursor')],
    ['400 invalid_cursor, too long', () => ask({ after: `${'1'.repeat(11)}.1` }), 400, refusal('invalid_cursor')],
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
  const next = await list({ after: cursor! })
  expect(next).toMatchObject({ events: [], has_more: false })
  expect(await list({ after: next.next_cursor })).toMatchObject({ events: [], has_more: false })
})

test('lists the events of the key’s owner and mode only', async () => {
  const { world } = tenants
  const both = tenant(await fileOfBothModes())
  await world.apply(both.file)
  const owners = [...getTenants(both.file), tenants.foreign]
  for (const { paywall } of owners) {
    const body = { customer_email: newEmail(), subject: 'A question', content: 'Does it work?' }
    expect(await call(world, `/api/v1/paywall/${paywall.id}/support/ticket`, { body })).toMatchObject({ status: 200 })
  }
  for (const { key, paywall } of owners) {
    const { events } = await listAll(undefined, { key })
    const origins = new Set(events.map(({ is_test, data }) => `${is_test} ${data.paywall_id}`))
    expect(origins).toEqual(new Set([`${paywall.is_test} ${paywall.id}`]))
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

const DAY = 86_400_000_000
const MINUTE = 1 / 1440 // in days

/** Makes an owner's events older by days, their positions by as many or fewer, and runs the cron that redacts old events. */
async function ageEvents({ paywall }: Tenant, days: number, positionDays = days): Promise<void> {
  const { world } = tenants
  await untilAllDelivered(world)
  await world.database.query(
    `update events set created_at = created_at - $2 * interval '1 day', purge_at = purge_at - $2 * interval '1 day',
       position = position - $3::bigint
     where paywall_id = $1`,
    [paywall.id, days, Math.round(positionDays * DAY)],
  )
  await world.workers.scheduled('purge-expired')
}

/** A cursor as if it had been returned days earlier. */
function aged(cursor: string, days: number): string {
  const { position, readSince } = parseCursor(cursor)
  const age = Math.round(days * DAY)
  return toCursor({ position: position - age, readSince: readSince - age })
}

const Expired = z.object({ oldest_cursor: z.string() })

async function expectExpired(cursor: string, owner: Tenant): Promise<string> {
  const expired = await ask({ after: cursor }, owner.key)
  expect(expired).toMatchObject({ status: 410, body: refusal('cursor_expired') })
  return Expired.parse(expired.body).oldest_cursor
}

const sequences = ({ events }: { events: z.output<typeof Listed>['events'] }) => events.map(({ data }) => data.sequence)

describe('events that are no longer kept', () => {
  test.each(['that were listed', 'that nobody listed'])('%s make an older cursor 410', async (which) => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    await credit(owner, id)
    const { cursor } = await listAll(undefined, owner)
    await credit(owner, id)
    if (which === 'that were listed') await listAll(cursor, owner)
    await ageEvents(owner, 31)
    await credit(owner, id)

    const oldest = await expectExpired(aged(cursor!, 31), owner)
    const kept = await listAll(oldest, owner)
    expect(sequences(kept)).toEqual([4])
    expect((await listAll(undefined, owner)).events).toEqual(kept.events)
    expect(await listAll(kept.cursor, owner)).toMatchObject({ events: [] })
  })

  test('make a cursor 410 that was returned later, if its page did not reach them', async () => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    await credit(owner, id)
    await credit(owner, id)
    const { next_cursor: cursor } = await list({ limit: '1' }, owner.key)
    await ageEvents(owner, 45, 20)

    const oldest = await expectExpired(aged(cursor, 20), owner)
    expect(sequences(await listAll(oldest, { key: owner.key, limit: '1' }))).toEqual([1, 2])
  })

  test('and were never listed do not matter to a reader that begins with the oldest event', async () => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    await credit(owner, id)
    await ageEvents(owner, 31)
    await credit(owner, id)
    expect(sequences(await listAll(undefined, { key: owner.key, limit: '1' }))).toEqual([3])
  })

  test.each(['no cursor', '`oldest_cursor`'])('leave a reader that begins with %s an hour at least', async (first) => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    const { cursor } = await listAll(undefined, owner)
    await credit(owner, id)
    await ageEvents(owner, 1)
    for (let sequence = 3; sequence <= 5; sequence++) await credit(owner, id)
    await ageEvents(owner, 30 + 59.5 * MINUTE)

    const begins = first === 'no cursor' ? {} : { after: await expectExpired(aged(cursor!, 32), owner) }
    const begun = await list({ ...begins, limit: '1' }, owner.key)
    expect(sequences(begun)).toEqual([3])
    await ageEvents(owner, MINUTE)
    expect(sequences(await list({ after: aged(begun.next_cursor, MINUTE), limit: '1' }, owner.key))).toEqual([4])
  })

  test('make a cursor 410 if its reader falls behind, however often it reads', async () => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    for (let sequence = 2; sequence <= 5; sequence++) await credit(owner, id)
    await ageEvents(owner, 30 - 10 * MINUTE)
    const begun = await list({ limit: '1' }, owner.key)
    await ageEvents(owner, 60 * MINUTE)
    const behind = await list({ after: aged(begun.next_cursor, 60 * MINUTE), limit: '1' }, owner.key)
    expect(sequences(behind)).toEqual([2])
    await ageEvents(owner, 20 * MINUTE)
    await expectExpired(aged(behind.next_cursor, 20 * MINUTE), owner)
  })

  test('are kept for another hour, for a reader that has begun with the oldest', async () => {
    const owner = await newOwner()
    const { id } = await person(tenants.world, owner)
    await credit(owner, id)
    const { cursor } = await listAll(undefined, owner)
    await ageEvents(owner, 30)
    const [halfAnHour, position] = [DAY / 48, parseCursor(cursor!).position - 30 * DAY]
    const begun = toCursor({ position: position - halfAnHour, readSince: position + 30 * DAY - halfAnHour })
    expect(sequences(await listAll(begun, owner))).toEqual([1, 2])
  })
})

describe('erasing a user', () => {
  const erase = (owner: Tenant, email: string) =>
    paywall(tenants.world, ['users', 'erase', email, '--owner', owner.file.owner.email, '--yes'])

  test('keeps its events in the list, without the person, whether they were listed before or not', async () => {
    const owner = await newOwner()
    const { id, email } = await person(tenants.world, owner)
    const { events: listed } = await listAll(undefined, owner)
    await credit(owner, id)
    await untilAllDelivered(tenants.world)
    expect(await erase(owner, email)).toMatchObject({ code: 0 })
    const { events } = await listAll(undefined, owner)
    expect(events.slice(0, listed.length).map((event) => event.id)).toEqual(listed.map((event) => event.id))
    expect(sequences({ events })).toEqual([1, 2])
    for (const { data } of events) expect(data.user).toEqual({ id, email: null, external_id: null })
  })

  test('locks no event while a reader gives positions, so that neither waits for the other for ever', async () => {
    const owner = await newOwner()
    const { id, email } = await person(tenants.world, owner)
    await credit(owner, id)
    const [erased] = await runWhileLocked(
      tenants.world,
      {
        hold: 'select from owners where id = (select owner_id from paywalls where id = $1) for no key update',
        values: [owner.paywall.id],
        change: `with waiting as (select id from events where paywall_id = $1 for update nowait)
                 update events e set position = 1 + sequence from waiting where e.id = waiting.id`,
      },
      [() => erase(owner, email)],
    )
    expect(erased).toMatchObject({ code: 0 })
  })
})

test('a cursor stays good if the database is restored to a time before it was returned', async () => {
  const owner = await newOwner()
  const { id } = await person(tenants.world, owner)
  await credit(owner, id)
  const before = await listAll(undefined, owner)
  await credit(owner, id)
  const { cursor } = await listAll(before.cursor, owner)
  // What a restore to the time of `before` loses: the position of the last event.
  await tenants.world.database.query(
    'update events set position = null where position = (select max(position) from events where paywall_id = $1)',
    [owner.paywall.id],
  )
  await credit(owner, id)
  expect((await listAll(cursor, owner)).events.map(({ data }) => data.sequence)).toEqual([3, 4])
})
