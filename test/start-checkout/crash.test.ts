import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { type Await, interruptTogether, type Side } from '../support/interrupt.ts'
import { refusal } from '../support/refusal.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 2, missingWorkers: ['balances', 'withdraw-tokens'] })

const CLAIM = { statement: 'claim_checkout' }
const PAGE = { call: '/v1/checkout/sessions' }
const RECORD = { statement: 'record_checkout' }

/** The claims stored under an idempotency key, and the number of pages that Stripe has for their checkouts. */
async function readClaims(key: string) {
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

/** A start-checkout whose first attempt was interrupted, with the result of that attempt. */
interface Interrupted {
  key: string
  first: PromiseSettledResult<Reply>
  retry: () => Promise<Reply>
}

/** Starts a checkout for each of these moments, and interrupts all of them at once. */
async function startInterrupted(moments: Moment[], interruption = async () => {}): Promise<Interrupted[]> {
  const orders = moments.map(() => {
    const headers = { 'idempotency-key': randomUUID() }
    return { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
  })
  const flows = moments.map(({ wait, side }, index) => {
    return { wait, side, start: () => startCheckout(world, orders[index]!) }
  })
  const firsts = await interruptTogether(world, flows, interruption)
  return orders.map((order, index) => ({
    key: order.headers['idempotency-key'],
    first: firsts[index]!,
    retry: () => startCheckout(world, order),
  }))
}

async function expectOneCheckout(key: string, reply: Reply): Promise<void> {
  const { checkoutUrl, userId } = parseOpened(reply)
  expect(await readClaims(key)).toEqual({ claims: [{ opened: true, url: checkoutUrl }], pages: 1 })
  expect((await payAndReturn(world, checkoutUrl)).status).toBe(303)
  expect((await userState(world, userId)).purchases).toHaveLength(1)
}

/** When an attempt is interrupted. */
interface Moment {
  name: string
  wait: Await
  side: Side
}

const MOMENTS: Moment[] = [
  { name: 'before its claim', wait: CLAIM, side: 'before' },
  { name: 'after its claim, before Stripe is called', wait: PAGE, side: 'before' },
  { name: 'after Stripe has opened the page, before its response', wait: PAGE, side: 'after' },
  { name: 'after Stripe’s response, before it is recorded', wait: RECORD, side: 'before' },
  { name: 'after it is recorded, before the reply', wait: RECORD, side: 'after' },
]

test('when the Worker is killed at any moment, the next attempt opens the checkout once', async () => {
  const crashed = await startInterrupted(MOMENTS, () => world.workers.kill())
  for (const [index, { first }] of crashed.entries()) {
    expect(first.status === 'rejected' || first.value.status >= 500, MOMENTS[index]!.name).toBe(true)
  }
  const replies = await Promise.all(crashed.map(({ retry }) => retry()))
  for (const [index, { key }] of crashed.entries()) await expectOneCheckout(key, replies[index]!)
})

test('when the database’s response is lost at any moment, the caller gets 503 and the next attempt opens the checkout once', async () => {
  const afterClaim: Moment = { name: 'after its claim', wait: CLAIM, side: 'after' }
  const moments = [...MOMENTS.filter(({ wait }) => 'statement' in wait), afterClaim]
  const lost = await startInterrupted(moments)
  for (const [index, { first }] of lost.entries()) {
    const unavailable = { status: 503, headers: { 'retry-after': '2' }, body: { error: 'database_unavailable' } }
    expect(first, moments[index]!.name).toMatchObject({ value: unavailable })
  }
  const replies = await Promise.all(lost.map(({ retry }) => retry()))
  for (const [index, { key }] of lost.entries()) await expectOneCheckout(key, replies[index]!)
})

test('when Stripe drops the connection before or after it acts, the SDK retries with the same key and one page is open', async () => {
  const replies = await startInterrupted(MOMENTS.filter(({ wait }) => 'call' in wait))
  for (const { key, first } of replies) {
    if (first.status === 'rejected') throw first.reason
    await expectOneCheckout(key, first.value)
  }
})

test('40 attempts with the key of a killed attempt wait for its lease, and all get the same page', async () => {
  const [crashed] = await startInterrupted(
    [{ name: 'after Stripe has opened the page', wait: PAGE, side: 'after' }],
    () => world.workers.kill(),
  )
  const replies = await Promise.all(Array.from({ length: 40 }, () => crashed!.retry()))
  expect(new Set(replies.map((reply) => parseOpened(reply).checkoutUrl)).size).toBe(1)
  await expectOneCheckout(crashed!.key, replies[0]!)
})

test.each([
  ['balances', () => changeBalance(world, { email: newEmail() }), { code: 'internal_error' }],
  ['withdraw-tokens', () => withdraw(world, { user_id: randomUUID() }), {}],
])('the gateway returns 500 internal_error as JSON when the Worker of %s is missing', async (_endpoint, send, code) => {
  const reply = await send()
  expect(reply).toMatchObject({ status: 500, headers: { 'access-control-allow-origin': '*' } })
  expect(reply.body).toEqual(refusal('internal_error', code))
  await until('the gateway logs the error', async () =>
    world.logs.some(({ message }) => {
      return message.includes('endpoint did not respond') && message.includes(String(reply.headers['x-request-id']))
    }),
  )
})
