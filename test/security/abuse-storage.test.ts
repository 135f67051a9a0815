import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { credit, openCheckout, pay, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { parseOpened, startCheckout } from '../support/checkout.ts'
import { whileHeld } from '../support/held-member.ts'
import { loseWebhooks } from '../support/lost-webhooks.ts'
import { endSession, refresh, type Session, sessionIn, signInAnonymously, signInByMail } from '../support/sign-in.ts'
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

/** A run of the cron, to its end: a user whom nothing keeps is gone afterwards. */
async function forget(): Promise<void> {
  const { id } = (await signInAnonymously(world)).user
  await world.database.query(
    `delete from sign_in_sessions where user_id = '${id}'; update users set purge_at = 'epoch' where id = '${id}'`,
  )
  await world.workers.scheduled('purge-expired')
  expect(await getRows(id)).toEqual({})
}

/** That many days pass for all that is forgotten some day. */
const letPass = (days: number) =>
  world.database.query(`
    update users set purge_at = purge_at - interval '${days} days', created_at = created_at - interval '${days} days';
    update checkouts set purge_at = purge_at - interval '${days} days', created_at = created_at - interval '${days} days';
    update sign_in_sessions set expires_at = expires_at - interval '${days} days', ended_at = ended_at - interval '${days} days'`)

/** How many rows name a user, by table. */
async function getRows(userId: string): Promise<Record<string, number>> {
  const tables = ['members', 'checkouts', 'balances', 'ledger', 'sign_in_sessions', 'events', 'deliveries', 'tickets']
  const counts = tables.map((table) => `(select count(*)::int from ${table} where user_id = $1) as ${table}`)
  const { rows } = await world.database.query(
    `select (select count(*)::int from users where id = $1) as users, ${counts}`,
    [userId],
  )
  return Object.fromEntries(Object.entries<number>(rows[0]).filter(([, count]) => count > 0))
}

/** An anonymous user who has read its balances and, with `page`, opened a page to pay on. */
async function visitor({ page = false } = {}): Promise<Session> {
  const session = await signInAnonymously(world)
  await userState(world, session.user.id)
  if (page) await openCheckout(world, session.token)
  return session
}

test('an anonymous user who does not return leaves nothing behind after 30 days', async () => {
  const { user } = await visitor({ page: true })
  expect(await changeBalance(world, { user_id: user.id, op: 'debit', amount: 1, type: 'standard' })).toMatchObject({
    status: 200,
  })
  const before = await getRows(user.id)
  expect(before).toMatchObject({ users: 1, members: 1, checkouts: 1, sign_in_sessions: 1 })
  expect(before.balances).toBeGreaterThan(0)
  await letPass(29)
  await forget()
  expect(await getRows(user.id)).toEqual(before)
  await letPass(1.1)
  await forget()
  expect(await getRows(user.id)).toEqual({})
  expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0 })
})

test('one who returns is kept, with all it has', async () => {
  const { user, refreshToken } = await visitor()
  await letPass(20)
  const { refreshToken: next } = sessionIn(await refresh(world, refreshToken))
  await letPass(20)
  await forget()
  sessionIn(await refresh(world, next))
  await letPass(29)
  await forget()
  expect(await getRows(user.id)).toMatchObject({ users: 1, members: 1, sign_in_sessions: 1 })
  await letPass(32)
  await forget()
  expect(await getRows(user.id)).toEqual({})
})

describe('what stays for ever', () => {
  const kept: [string, () => Promise<string>][] = [
    [
      'a user who bought',
      async () => {
        const { token, user } = await visitor()
        await pay(world, await openCheckout(world, token))
        return user.id
      },
    ],
    [
      'a user whose payment is still processing',
      async () => {
        const { token, user } = await visitor()
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
      'a user whom the owner gave tokens',
      async () => {
        const { user } = await visitor()
        await credit(world, user.id, 5)
        return user.id
      },
    ],
    [
      'a user who asked for help',
      async () => {
        const { user, token } = await visitor()
        expect(await call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })).toMatchObject({ status: 200 })
        return user.id
      },
    ],
    [
      'a user who has an e-mail address by now',
      async () => {
        const { user, token } = await visitor()
        await signInByMail(world, `${randomUUID()}@example.com`, { token })
        return user.id
      },
    ],
    [
      'a user who was merged into another, whom an owner may know by this id',
      async () => {
        const email = `${randomUUID()}@example.com`
        await signInByMail(world, email)
        const { user, token } = await visitor()
        await signInByMail(world, email, { token })
        return user.id
      },
    ],
    [
      'a user of an owner who never signed in',
      async () => parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key })).userId,
    ],
  ]
  test.each(kept)('%s', async (_, make) => {
    const userId = await make()
    await loseWebhooks(world)
    const { users, members } = await getRows(userId)
    await letPass(31)
    await forget()
    await letPass(100)
    await forget()
    expect(await getRows(userId)).toMatchObject({ users: users!, members: members! })
  })
})

test('a page that its user left behind can be paid for as long as it is kept', async () => {
  const { token, user, refreshToken } = await visitor()
  await letPass(29.5)
  expect(await endSession(world, refreshToken)).toMatchObject({ status: 200 })
  const checkoutUrl = await openCheckout(world, token)
  await letPass(1)
  await forget()
  expect(await getRows(user.id)).toMatchObject({ users: 1, checkouts: 1 })
  await pay(world, checkoutUrl)
  expect(await userState(world, user.id)).toMatchObject({ paid: true })
})

test('a checkout that nobody paid goes after 30 days, and one that was bought stays', async () => {
  const order = { paywall: world.paywall, key: world.key }
  const unpaid = parseOpened(await startCheckout(world, order)).userId
  const bought = parseOpened(await startCheckout(world, order))
  await pay(world, bought.checkoutUrl)
  await letPass(29)
  await forget()
  expect(await getRows(unpaid)).toMatchObject({ checkouts: 1 })
  await letPass(1.1)
  await forget()
  expect(await getRows(unpaid)).toMatchObject({ users: 1, members: 1 })
  expect(await getRows(unpaid)).not.toHaveProperty('checkouts')
  expect(await getRows(bought.userId)).toMatchObject({ checkouts: 1 })
  expect((await userState(world, bought.userId)).purchases).toHaveLength(1)
})

test('events about a user that wait for their delivery keep it, and go with it', async () => {
  const { user } = await visitor()
  const { rows } = await world.database.query('select id from webhook_endpoints')
  const eventId = `evt_${randomUUID().replaceAll('-', '')}`
  await world.database.query(
    `insert into events (id, paywall_id, user_id, sequence, type, body) values ($1, $2, $3, 1, 'balance.changed', '{}')`,
    [eventId, world.paywall.id, user.id],
  )
  await world.database.query(
    `insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
     values ($1, $2, $3, $4, 1, now() + interval '9 days')`,
    [eventId, rows[0].id, world.paywall.id, user.id],
  )
  await letPass(31)
  await forget()
  expect(await getRows(user.id)).toMatchObject({ users: 1, events: 1, deliveries: 1 })
  await world.database.query("update deliveries set state = 'delivered', finished_at = now() where event_id = $1", [
    eventId,
  ])
  await letPass(2)
  await forget()
  expect(await getRows(user.id)).toEqual({})
})

test('of a user with 2,500 rows of one kind all go', async () => {
  const { user } = await visitor()
  await world.database.query(
    `insert into ledger (paywall_id, user_id, type, delta, count_after, reason)
     select b.paywall_id, b.user_id, b.type, case n % 2 when 0 then 1 else -1 end, 0, 'top_up'
     from balances b, generate_series(1, 2500) n where b.user_id = $1`,
    [user.id],
  )
  await letPass(31)
  await forget()
  expect(await getRows(user.id)).toEqual({})
})

test('an owner who credits a user that is being deleted gets not found', async () => {
  const { user } = await visitor()
  const [reply] = await whileHeld(
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
