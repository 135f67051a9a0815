import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { type Await, interruptTogether, type Side } from '../support/interrupt.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 2, gone: ['balances', 'withdraw-tokens'] })

const CLAIM = { statement: 'claim_checkout' }
const PAGE = { call: '/v1/checkout/sessions' }
const RECORD = { statement: 'record_checkout' }

/** What is known of a key: its claim and the pages that Stripe has for its checkouts. */
async function storedUnder(key: string) {
  const { rows } = await world.database.query<{ opened: boolean; checkout_id: string; url: string | null }>(
    'select opened, checkout_id, url from checkout_claims join checkouts on id = checkout_id where idempotency_key = $1',
    [key],
  )
  const ids = rows.map(({ checkout_id: id }) => JSON.stringify(id))
  const pages = world.stripe.checkoutSessions.filter(({ metadata }) =>
    ids.some((id) => JSON.stringify(metadata).includes(id)),
  )
  return { claims: rows.map(({ opened: open, url }) => ({ opened: open, url })), pages: pages.length }
}

/** A start-checkout, and what came of its first try once that was interrupted. */
interface Interrupted {
  key: string
  first: PromiseSettledResult<Reply>
  again: () => Promise<Reply>
}

/** A start-checkout at each of these moments, all of them interrupted at once. */
async function interrupted(moments: Moment[], interruption = async () => {}): Promise<Interrupted[]> {
  const orders = moments.map(() => {
    const headers = { 'idempotency-key': randomUUID() }
    return { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
  })
  const flows = moments.map(([, wait, side], index) => {
    return { wait, side, start: () => startCheckout(world, orders[index]!) }
  })
  const firsts = await interruptTogether(world, flows, interruption)
  return orders.map((order, index) => ({
    key: order.headers['idempotency-key'],
    first: firsts[index]!,
    again: () => startCheckout(world, order),
  }))
}

async function expectOneCheckout(key: string, reply: Reply): Promise<void> {
  const { checkoutUrl, userId } = parseOpened(reply)
  expect(await storedUnder(key)).toEqual({ claims: [{ opened: true, url: checkoutUrl }], pages: 1 })
  expect((await payAndReturn(world, checkoutUrl)).status).toBe(303)
  expect((await userState(world, userId)).purchases).toHaveLength(1)
}

type Moment = [name: string, wait: Await, side: Side]

const MOMENTS: Moment[] = [
  ['before its claim', CLAIM, 'before'],
  ['after its claim, before Stripe is asked', PAGE, 'before'],
  ['after Stripe has opened the page, before its answer', PAGE, 'after'],
  ['after Stripe’s answer, before it is recorded', RECORD, 'before'],
  ['after it is recorded, before the reply', RECORD, 'after'],
]

test('checkouts whose Worker is killed, at each moment, are opened by the next attempt, once', async () => {
  const crashed = await interrupted(MOMENTS, () => world.workers.kill())
  for (const [index, { first }] of crashed.entries()) {
    expect(first.status === 'rejected' || first.value.status >= 500, MOMENTS[index]![0]).toBe(true)
  }
  const replies = await Promise.all(crashed.map(({ again }) => again()))
  for (const [index, { key }] of crashed.entries()) await expectOneCheckout(key, replies[index]!)
})

test('when the database’s reply is lost, at each moment, the caller gets 503 and the next attempt opens it, once', async () => {
  const moments: Moment[] = [...MOMENTS.filter(([, wait]) => 'statement' in wait), ['after its claim', CLAIM, 'after']]
  const lost = await interrupted(moments)
  for (const [index, { first }] of lost.entries()) {
    const unavailable = { status: 503, headers: { 'retry-after': '2' }, body: { error: 'database_unavailable' } }
    expect(first, moments[index]![0]).toMatchObject({ value: unavailable })
  }
  const replies = await Promise.all(lost.map(({ again }) => again()))
  for (const [index, { key }] of lost.entries()) await expectOneCheckout(key, replies[index]!)
})

test('when Stripe hangs up before or after it acts, the SDK asks again with the same key and one page is open', async () => {
  const replies = await interrupted(MOMENTS.filter(([, wait]) => 'call' in wait))
  for (const { key, first } of replies) {
    if (first.status === 'rejected') throw first.reason
    await expectOneCheckout(key, first.value)
  }
})

test('40 attempts with a key whose first one was killed wait for its lease, and all get the same page', async () => {
  const [crashed] = await interrupted([['', PAGE, 'after']], () => world.workers.kill())
  const replies = await Promise.all(Array.from({ length: 40 }, () => crashed!.again()))
  expect(new Set(replies.map((reply) => parseOpened(reply).checkoutUrl)).size).toBe(1)
  await expectOneCheckout(crashed!.key, replies[0]!)
})

test.each([
  ['balances', () => changeBalance(world, { email: newEmail() }), { code: 'internal_error' }],
  ['withdraw-tokens', () => withdraw(world, { user_id: randomUUID() }), {}],
])('500 internal_error in JSON, from the gateway, when the Worker of %s is gone', async (_endpoint, ask, code) => {
  const reply = await ask()
  expect(reply).toMatchObject({ status: 500, headers: { 'access-control-allow-origin': '*' } })
  expect(reply.body).toEqual({ error: 'internal_error', ...code })
  await until('the gateway says so in the log', async () =>
    world.logs.some(({ message }) => {
      return message.includes('endpoint did not respond') && message.includes(String(reply.headers['x-request-id']))
    }),
  )
})
