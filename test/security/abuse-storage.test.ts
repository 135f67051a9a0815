import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { credit, openCheckout, pay, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { parseOpened, startCheckout } from '../support/checkout.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { loseWebhooks } from '../support/lost-webhooks.ts'
import { endSession, parseSession, refresh, type Session, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.neon.onStatement = undefined
})

/** Runs the purge-expired cron to its end: a user that has expired is gone afterwards. */
async function runPurge(): Promise<void> {
  const { id } = (await signInAnonymously(world)).user
  await world.database.query(
    `delete from sign_in_sessions where user_id = '${id}'; update users set purge_at = 'epoch' where id = '${id}'`,
  )
  await world.workers.scheduled('purge-expired')
  expect(await countRows(id)).toEqual({})
}

/** Makes everything that can expire older by this many days. */
const ageByDays = (days: number) =>
  world.database.query(`
    update users set purge_at = purge_at - interval '${days} days', created_at = created_at - interval '${days} days';
    update checkouts set purge_at = purge_at - interval '${days} days', created_at = created_at - interval '${days} days';
    update events set created_at = created_at - interval '${days} days', position = position - ${days} * 86400000000::bigint;
    update sign_in_sessions set expires_at = expires_at - interval '${days} days', ended_at = ended_at - interval '${days} days'`)

/** Counts the rows about a user, by table. */
async function countRows(userId: string): Promise<Record<string, number>> {
  const tables = ['members', 'checkouts', 'balances', 'ledger', 'sign_in_sessions', 'events', 'deliveries', 'tickets']
  const counts = tables.map((table) => `(select count(*)::int from ${table} where user_id = $1) as ${table}`)
  const { rows } = await world.database.query(
    `select (select count(*)::int from users where id = $1) as users, ${counts}`,
    [userId],
  )
  return Object.fromEntries(Object.entries<number>(rows[0]).filter(([, count]) => count > 0))
}

/** An anonymous user who has read its balances and, with `page`, opened a checkout page. */
async function createVisitor({ page = false } = {}): Promise<Session> {
  const session = await signInAnonymously(world)
  await userState(world, session.user.id)
  if (page) await openCheckout(world, session.token)
  return session
}

test('an anonymous user who does not return is deleted with all its rows after 30 days', async () => {
  const { user } = await createVisitor({ page: true })
  expect(await changeBalance(world, { user_id: user.id, op: 'debit', amount: 1, type: 'standard' })).toMatchObject({
    status: 200,
  })
  const before = await countRows(user.id)
  expect(before).toMatchObject({ users: 1, members: 1, checkouts: 1, sign_in_sessions: 1 })
  expect(before.balances).toBeGreaterThan(0)
  await ageByDays(29)
  await runPurge()
  expect(await countRows(user.id)).toEqual(before)
  await ageByDays(1.1)
  await runPurge()
  expect(await countRows(user.id)).toEqual({})
  expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0 })
})

test('an anonymous user who keeps returning is not deleted, nor are its rows', async () => {
  const { user, refreshToken } = await createVisitor()
  await ageByDays(20)
  const { refreshToken: next } = parseSession(await refresh(world, refreshToken))
  await ageByDays(20)
  await runPurge()
  parseSession(await refresh(world, next))
  await ageByDays(29)
  await runPurge()
  expect(await countRows(user.id)).toMatchObject({ users: 1, members: 1, sign_in_sessions: 1 })
  await ageByDays(32)
  await runPurge()
  expect(await countRows(user.id)).toEqual({})
})

describe('the purge never deletes', () => {
  const cases: [string, () => Promise<string>][] = [
    [
      'a user who bought',
      async () => {
        const { token, user } = await createVisitor()
        await pay(world, await openCheckout(world, token))
        return user.id
      },
    ],
    [
      'a user whose payment is still processing',
      async () => {
        const { token, user } = await createVisitor()
        const checkoutUrl = await openCheckout(world, token)
        await payOnPage(checkoutUrl)
        await world.stripe.sendHeldWebhooks()
        await world.database.query("update purchases set status = 'pending', begun = false where user_id = $1", [
          user.id,
        ])
        await world.database.query('update checkouts set completed_at = null where user_id = $1', [user.id])
        await world.database.query('delete from ledger where user_id = $1', [user.id])
        return user.id
      },
    ],
    [
      'a user to whom the owner gave tokens',
      async () => {
        const { user } = await createVisitor()
        await credit(world, user.id, 5)
        return user.id
      },
    ],
    [
      'a user who opened a ticket',
      async () => {
        const { user, token } = await createVisitor()
        expect(await call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })).toMatchObject({ status: 200 })
        return user.id
      },
    ],
    [
      'a user who has signed in with an e-mail address',
      async () => {
        const { user, token } = await createVisitor()
        await signInByMail(world, `${randomUUID()}@example.com`, { token })
        return user.id
      },
    ],
    [
      'a user who was merged into another, because the owner may still use its id',
      async () => {
        const email = `${randomUUID()}@example.com`
        await signInByMail(world, email)
        const { user, token } = await createVisitor()
        await signInByMail(world, email, { token })
        return user.id
      },
    ],
    [
      'a user whom the owner created and who never signed in',
      async () => parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key })).userId,
    ],
  ]
  test.each(cases)('%s', async (_, createUser) => {
    const userId = await createUser()
    await loseWebhooks(world)
    const { users, members } = await countRows(userId)
    await ageByDays(31)
    await runPurge()
    await ageByDays(100)
    await runPurge()
    expect(await countRows(userId)).toMatchObject({ users: users!, members: members! })
  })
})

test('an open checkout page keeps its signed-out user, and can still be paid', async () => {
  const { token, user, refreshToken } = await createVisitor()
  await ageByDays(29.5)
  const checkoutUrl = await openCheckout(world, token)
  expect(await endSession(world, refreshToken)).toMatchObject({ status: 200 })
  await ageByDays(1)
  await runPurge()
  expect(await countRows(user.id)).toMatchObject({ users: 1, checkouts: 1 })
  await pay(world, checkoutUrl)
  expect(await userState(world, user.id)).toMatchObject({ paid: true })
})

test('an unpaid checkout is deleted after 30 days, and a paid one is kept', async () => {
  const order = { paywall: world.paywall, key: world.key }
  const unpaid = parseOpened(await startCheckout(world, order)).userId
  const bought = parseOpened(await startCheckout(world, order))
  await pay(world, bought.checkoutUrl)
  await ageByDays(29)
  await runPurge()
  expect(await countRows(unpaid)).toMatchObject({ checkouts: 1 })
  await ageByDays(1.1)
  await runPurge()
  expect(await countRows(unpaid)).toMatchObject({ users: 1, members: 1 })
  expect(await countRows(unpaid)).not.toHaveProperty('checkouts')
  expect(await countRows(bought.userId)).toMatchObject({ checkouts: 1 })
  expect((await userState(world, bought.userId)).purchases).toHaveLength(1)
})

/** Inserts the first event about a user, without a delivery. */
async function insertEvent(userId: string): Promise<string> {
  const id = `evt_${randomUUID().replaceAll('-', '')}`
  await world.database.query(
    `insert into events (id, owner_id, is_test, paywall_id, user_id, sequence, type, body)
     select $1, owner_id, is_test, id, $3, 1, 'balance.changed', json_build_object(
       'id', $1::text, 'type', 'balance.changed', 'timestamp', '2027-01-01T00:00:00.000Z', 'is_test', is_test,
       'data', json_build_object('paywall_id', id)) from paywalls where id = $2`,
    [id, world.paywall.id, userId],
  )
  return id
}

test('pending events keep their user from being deleted, and are deleted with it once they are delivered', async () => {
  const { user } = await createVisitor()
  const { rows } = await world.database.query('select id from webhook_endpoints')
  const eventId = await insertEvent(user.id)
  await world.database.query(
    `insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
     values ($1, $2, $3, $4, 1, now() + interval '9 days')`,
    [eventId, rows[0].id, world.paywall.id, user.id],
  )
  await ageByDays(31)
  await runPurge()
  expect(await countRows(user.id)).toMatchObject({ users: 1, events: 1, deliveries: 1 })
  await world.database.query("update deliveries set state = 'delivered', finished_at = now() where event_id = $1", [
    eventId,
  ])
  await ageByDays(2)
  await runPurge()
  expect(await countRows(user.id)).toEqual({})
})

test.each([
  ['that was not listed yet', []],
  ['that was listed late', [20]],
])('an event %s keeps its user from being deleted while it is listed', async (_, listedAfter) => {
  const { user } = await createVisitor()
  await ageByDays(20)
  await insertEvent(user.id)
  for (const days of listedAfter) {
    await ageByDays(days)
    expect(await call(world, '/api/v1/events', { key: world.key })).toMatchObject({ status: 200 })
  }
  await ageByDays(30.5)
  await runPurge()
  expect(await countRows(user.id)).toMatchObject({ users: 1, events: 1 })
  await ageByDays(1)
  await runPurge()
  expect(await countRows(user.id)).toEqual({})
})

test('a user with 2,500 rows in one table is deleted with all of them', async () => {
  const { user } = await createVisitor()
  await world.database.query(
    `insert into ledger (paywall_id, user_id, type, delta, count_after, reason)
     select b.paywall_id, b.user_id, b.type, case n % 2 when 0 then 1 else -1 end, 0, 'top_up'
     from balances b, generate_series(1, 2500) n where b.user_id = $1`,
    [user.id],
  )
  await ageByDays(31)
  await runPurge()
  expect(await countRows(user.id)).toEqual({})
})

test('a credit to a user that is being deleted returns 404', async () => {
  const { user } = await createVisitor()
  const [reply] = await runWhileLocked(
    world,
    {
      hold: 'select from members where user_id = $1 for update',
      change: `with gone as (delete from sign_in_sessions where user_id = $1), spent as (delete from ledger where user_id = $1),
                 empty as (delete from balances where user_id = $1)
               delete from members where user_id = $1`,
      values: [user.id],
    },
    [() => changeBalance(world, { user_id: user.id, amount: 5 })],
  )
  expect(reply).toMatchObject({ status: 404 })
})
