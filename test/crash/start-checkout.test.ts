import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail, opened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { type Await, interruptOnce, type Side } from '../support/interrupt.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ checkoutLeaseSeconds: 2 })
})
afterAll(() => world.close())

const CLAIM = { statement: 'insert into checkout_claims' }
const SESSION = { call: '/v1/checkout/sessions' }
const SETTLE = { statement: 'update checkout_claims k set opened' }

/** What is known of a key: its claim and the pages that Stripe has for its checkouts. */
async function standingOf(key: string) {
  const { rows } = await world.database.query<{ opened: boolean; checkout_id: string; url: string | null }>(
    'select opened, checkout_id, url from checkout_claims join checkouts on id = checkout_id where idempotency_key = $1',
    [key],
  )
  const ids = rows.map(({ checkout_id: id }) => JSON.stringify(id))
  const sessions = world.stripe.sessions.filter(({ metadata }) =>
    ids.some((id) => JSON.stringify(metadata).includes(id)),
  )
  return { claims: rows.map(({ opened: open, url }) => ({ opened: open, url })), sessions: sessions.length }
}

/** A start-checkout that is interrupted, and then what a second try of the same key gets. */
async function interrupted(wait: Await, side: Side, interruption?: () => Promise<void>) {
  const key = randomUUID()
  const headers = { 'idempotency-key': key }
  const order = { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
  const interruptedOnce = interruptOnce(world, wait, side, interruption)
  const first = await Promise.allSettled([startCheckout(world, order), interruptedOnce])
  return { key, first: first[0], second: () => startCheckout(world, order) }
}

async function expectOneCheckout(key: string, reply: Reply): Promise<void> {
  const { checkoutUrl, userId } = opened(reply)
  expect(await standingOf(key)).toEqual({ claims: [{ opened: true, url: checkoutUrl }], sessions: 1 })
  expect((await payAndReturn(world, checkoutUrl)).status).toBe(303)
  expect((await userState(world, userId)).purchases).toHaveLength(1)
}

const moments: [string, Await, Side][] = [
  ['before its claim', CLAIM, 'before'],
  ['after its claim, before Stripe is asked', SESSION, 'before'],
  ['after Stripe has opened the page, before its answer', SESSION, 'after'],
  ['after Stripe’s answer, before it is recorded', SETTLE, 'before'],
  ['after it is recorded, before the reply', SETTLE, 'after'],
]

test.each(moments)('a checkout whose Worker is killed %s is opened by the next try, once', async (_, wait, side) => {
  const { key, first, second } = await interrupted(wait, side, () => world.workers.kill())
  expect(first.status === 'rejected' || first.value.status >= 500, JSON.stringify(first)).toBe(true)
  await expectOneCheckout(key, await second())
})

test.each(moments.filter(([, wait]) => 'statement' in wait))(
  'when the database’s answer is lost %s, the caller hears 503 and the next try opens it, once',
  async (_, wait, side) => {
    const { key, first, second } = await interrupted(wait, side)
    expect(first).toMatchObject({ value: { status: 503, body: { error: 'database_unavailable' } } })
    await expectOneCheckout(key, await second())
  },
)

test('when the database’s answer to the claim is lost after its commit, the next try opens it, once', async () => {
  const { key, first, second } = await interrupted(CLAIM, 'after')
  expect(first).toMatchObject({ value: { status: 503, headers: { 'retry-after': '2' } } })
  await expectOneCheckout(key, await second())
})

test.each(['before', 'after'] as const)(
  'when Stripe hangs up %s it acts, the SDK asks again with the same key and one page is open',
  async (side) => {
    const { key, first } = await interrupted(SESSION, side)
    expect(first.status).toBe('fulfilled')
    if (first.status === 'fulfilled') await expectOneCheckout(key, first.value)
  },
)

test('40 tries of a key whose first one was killed wait for its lease, and all get the same page', async () => {
  const { key, second } = await interrupted(SESSION, 'after', () => world.workers.kill())
  const replies = await Promise.all(Array.from({ length: 40 }, second))
  expect(new Set(replies.map((reply) => opened(reply).checkoutUrl)).size).toBe(1)
  await expectOneCheckout(key, replies[0]!)
})
