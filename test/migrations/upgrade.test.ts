import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { seal } from '../../lib/crypto/seal.ts'
import { catalogOf } from '../support/catalog.ts'
import { withOldSchema } from '../support/old-schema.ts'
import { migrated, type OwnedPostgres, startOwnedPostgres } from '../support/owned-postgres.ts'
import { type Row, rowsOf, sorted } from '../support/table-rows.ts'
import { changeBalance, ledgerOf } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

/** Of fill-before-releases.sql. */
const OLD_PAYWALL = { paywallId: '1001', key: `pk_test_${'0'.repeat(63)}1` }
const userNumber = (number: number) => `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`
/** A member of that paywall who has bought. */
const MEMBER = userNumber(204)
const WEBHOOK_ENDPOINT = '40000000-0000-4000-8000-000000000001'

const rolesKey = inject('databaseRolesKey')
let server: OwnedPostgres
let url: string
let before: Record<string, Row[]>
let after: Record<string, Row[]>

const WebhookBody = z.object({
  data: z.object({ sequence: z.number(), user: z.object({ id: z.string().nullable() }) }),
})

const without = (row: Row, ...columns: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))

/** What the migrations make of a row of a table. Of any other table, nothing changes. */
const CHANGES: Record<string, (row: Row, rows: Row[]) => Row> = {
  paywalls: (row) => ({ ...row, clock_offset: '00:00:00' }),
  prices: (row) => ({ ...row, features: [] }),
  balances: (row) => without(row, 'previous_count', 'top_up'),
  users: (row) => ({
    ...row,
    owner_id: ownerOf(membersOf(row)),
    external_id: null,
    forget_at: row.email === null ? 'in 30 days' : null,
    erased_at: null,
  }),
  members: (row) => ({ ...row, owner_id: ownerOf([row]), buyer_meta: {} }),
  purchases: (row) => ({
    ...without(row, 'previous'),
    buyer_email: null,
    buyer_erased_at: null,
    ...(isBoughtOnce(row) && { reconcile_at: 'within a day' }),
  }),
  checkouts: (row) => ({
    ...row,
    customers: {},
    further_trial: true,
    ...(row.session_id === null && row.completed_at === null && { reconcile_at: null }),
    asked_at: null,
    processor_price: null,
    forget_at: 'in 30 days',
  }),
  sign_in_sessions: (row) => ({ ...row, previous_hash: null, replaced_at: null }),
  webhook_endpoints: (row) => ({ ...row, failures: 0, held_until: null }),
  events: (row) => ({ ...row, forget_at: 'in 30 days' }),
  deliveries: (row, rows) => (waits(row, rows) ? { ...row, next_attempt_at: null } : row),
}

const membersOf = ({ id }: Row) => before.members!.filter(({ user_id }) => user_id === id)
/** Each user of the fixture is a member of one paywall. */
const ownerOf = ([member]: Row[]) => before.paywalls!.find(({ id }) => id === member?.paywall_id)?.owner_id

/** A one-time purchase that was paid, whether or not it was given back, and not looked at again until now. */
const isBoughtOnce = (row: Row) =>
  'processor_id' in row && row.interval === null && ['active', 'refunded'].includes(String(row.status))

/** A row in which a time that counts from the migration is said as such. */
function relative(row: Row): Row {
  const days = (time: unknown) => (Date.parse(String(time)) - Date.now()) / 86_400_000
  return {
    ...row,
    ...(Math.abs(days(row.forget_at) - 30) < 0.1 && { forget_at: 'in 30 days' }),
    ...(isBoughtOnce(row) && Math.abs(days(row.reconcile_at) - 0.5) < 0.51 && { reconcile_at: 'within a day' }),
  }
}

/** Whether an earlier delivery about the same member is pending at the same webhook endpoint. */
function waits(row: Row, rows: Row[]): boolean {
  const isBefore = (other: Row) =>
    other.state === 'pending' &&
    other.user_id === row.user_id &&
    other.paywall_id === row.paywall_id &&
    other.endpoint_id === row.endpoint_id &&
    Number(other.sequence) < Number(row.sequence)
  return row.state === 'pending' && row.user_id !== null && rows.some(isBefore)
}

beforeAll(async () => {
  server = await startOwnedPostgres()
  url = await server.createDatabase('old')
  await withOldSchema(url, { filled: true })
  before = await rowsOf(url)
  await migrated(url, { rolesKey })
  after = await rowsOf(url)
})
afterAll(() => server.postgres.stop())

test('the fixture fills every table', () => {
  const empty = Object.entries(before).filter(([, rows]) => rows.length === 0)
  expect(empty).toEqual([])
})

test('its catalog is that of a fresh database', async () => {
  const fresh = await server.createDatabase('fresh')
  await migrated(fresh, { rolesKey })
  expect(await catalogOf(url)).toEqual(await catalogOf(fresh))
})

test('every row is found again', () => {
  for (const [table, rows] of Object.entries(before)) {
    const change = CHANGES[table] ?? ((row: Row) => row)
    expect(sorted((after[table] ?? []).map(relative)), table).toEqual(sorted(rows.map((row) => change(row, rows))))
  }
  const [dueBefore, dueAfter] = [before.deliveries!, after.deliveries!].map(
    (rows) => rows.filter(({ state, next_attempt_at }) => state === 'pending' && next_attempt_at !== null).length,
  )
  expect(dueAfter).toBeLessThan(dueBefore!)
})

describe('the service works on it:', () => {
  let world: TestWorld

  beforeAll(async () => {
    world = await startTestWorld({ databaseUrl: url, inventsEvents: true })
  })
  afterAll(() => world.close())

  test('a debit, and a read of the user', async () => {
    const debit = { op: 'debit', amount: 5, user_id: MEMBER }
    expect(await changeBalance(world, debit, OLD_PAYWALL)).toMatchObject({ status: 200, body: { count: 55 } })
    expect(await userState(world, MEMBER, OLD_PAYWALL)).toMatchObject({
      paid: true,
      balances: expect.arrayContaining([{ type: 'standard', count: 55 }]),
      purchases: [{ status: 'trialing' }],
    })
    expect(await ledgerOf(world, MEMBER)).toContainEqual(['standard', 'debit', -5])
    expect(await verifyLedger(url)).toMatchObject({ code: 0, err: '' })
  })

  test('a sweep of the deliveries that were pending, each once and in order', async () => {
    const url = `${world.receiver.url}/webhooks/old`
    const secret = await seal(
      'whsec_c2VjcmV0IG9mIDMyIGJ5dGVzLCBvciBzbyBhYm91dA==',
      world.secrets.WEBHOOK_SECRETS_KEY,
      `webhook:${url}`,
    )
    await world.database.query('update webhook_endpoints set disabled_at = now() where id <> $1', [WEBHOOK_ENDPOINT])
    await world.database.query('update webhook_endpoints set url = $2, secret = $3 where id = $1', [
      WEBHOOK_ENDPOINT,
      url,
      secret,
    ])
    await world.workers.scheduled('deliver-events')
    const pending = before.deliveries!.filter(
      ({ endpoint_id, state }) => endpoint_id === WEBHOOK_ENDPOINT && state === 'pending',
    )
    await until('every delivery to be made', async () => {
      const { rows } = await world.database.query(
        "select count(*)::int as left from deliveries where state = 'pending' and endpoint_id = $1",
        [WEBHOOK_ENDPOINT],
      )
      return rows[0].left === 0
    })
    const events = world.receiver.received.map(({ body }) => WebhookBody.parse(JSON.parse(body)).data)
    expect(events).toHaveLength(pending.length)
    for (const [user, own] of Map.groupBy(events, ({ user: { id } }) => id)) {
      if (user === null) continue
      const sequences = own.map(({ sequence }) => sequence)
      expect(sequences, user).toEqual(sequences.toSorted())
    }
  })

  test('a run of reconcile, which takes what is due and leaves alone what was never opened', async () => {
    const countDue = async () => {
      const { rows } = await world.database.query<{ count: number }>(
        `select (select count(*)::int from checkouts where completed_at is null and reconcile_at <= now())
           + (select count(*)::int from purchases where reconcile_at <= now()) as count`,
      )
      return rows[0]?.count
    }
    expect(await countDue()).toBeGreaterThan(0)
    await world.workers.scheduled('reconcile')
    expect(await countDue()).toBe(0)
    const { rows } = await world.database.query(
      `select count(*)::int as count from checkouts where session_id is null and looked_at > now() - interval '1 hour'`,
    )
    expect(rows).toEqual([{ count: 0 }])
  })
})
