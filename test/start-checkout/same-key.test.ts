import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { refusal } from '../support/refusal.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

afterEach(() => {
  world.neon.onStatement = undefined
})

const times = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

/** Counts the hosted pages that Stripe is asked for while `run` starts checkouts, 12 of which claim their key at once. */
async function countPages(run: () => Promise<unknown>): Promise<number> {
  raceStatements(world, 'claim_checkout', 12)
  const before = world.stripe.calls.length
  await run()
  return world.stripe.calls.slice(before).filter(({ path }) => path === '/v1/checkout/sessions').length
}

/** How long a duplicate waits for the first reply before the service returns 409 with Retry-After. */
const WAIT_MS = 5_000

/**
 * Retries a start-checkout that got 409 with Retry-After because the first reply took longer than 5 s, as it may on a machine
 * that is too busy for 200 calls at once.
 */
async function retryWhileInProgress(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const startedAt = Date.now()
    const reply = await request()
    const waited = Date.now() - startedAt >= WAIT_MS
    if (reply.status !== 409 || !waited || reply.headers['retry-after'] === undefined) return reply
  }
}

function expectOneCheckout(replies: Reply[]) {
  expect(replies.filter(({ status }) => status !== 200)).toEqual([])
  expect(new Set(replies.map((reply) => JSON.stringify(parseOpened(reply)))).size).toBe(1)
  expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
}

test('200 concurrent start-checkouts with one Idempotency-Key open one page, and all get it', async () => {
  const order = {
    paywall: world.paywall,
    key: world.key,
    headers: { 'idempotency-key': randomUUID() },
    body: { email: newEmail() },
  }
  let replies: Reply[] = []
  const created = await countPages(async () => {
    replies = await times(200, () => retryWhileInProgress(() => startCheckout(world, order)))
  })
  expectOneCheckout(replies)
  expect(created).toBe(1)
})

test('200 concurrent start-checkouts of one signed-in user open one page', async () => {
  const user = await signIn(world)
  const order = { paywall: world.paywall, token: user.token, headers: { 'idempotency-key': randomUUID() } }
  let replies: Reply[] = []
  const created = await countPages(async () => {
    replies = await times(200, () => retryWhileInProgress(() => startCheckout(world, order)))
  })
  expectOneCheckout(replies)
  expect(replies.map((reply) => parseOpened(reply).userId)).toContain(user.id)
  expect(created).toBe(1)
})

test('of two bodies with one Idempotency-Key one succeeds, and every call with the other returns 409', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const emails = [newEmail(), newEmail()]
  const replies: Reply[][] = [[], []]
  const created = await countPages(() =>
    times(50, async (index) => {
      const side = index % 2
      const body = { email: emails[side] }
      replies[side]!.push(await startCheckout(world, { paywall: world.paywall, key: world.key, headers, body }))
    }),
  )
  const [won, lost] = replies[0]!.some(({ status }) => status === 200) ? replies : replies.toReversed()
  expectOneCheckout(won!)
  expect(won).toHaveLength(25)
  expect(lost!.map(({ status, body }) => ({ status, body }))).toEqual(
    Array(25).fill({ status: 409, body: refusal('idempotency_key_reused') }),
  )
  expect(created).toBe(1)
})

test('40 signed-in users who use the same Idempotency-Key at once each get their own checkout', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const users = await times(40, () => signIn(world))
  raceStatements(world, 'claim_checkout', 12)
  const replies = await Promise.all(
    users.map(({ token }) => startCheckout(world, { paywall: world.paywall, token, headers })),
  )
  expect(replies.map((reply) => parseOpened(reply).userId)).toEqual(users.map(({ id }) => id))
  expect(new Set(replies.map((reply) => parseOpened(reply).checkoutUrl)).size).toBe(40)
})

test('of two concurrent bodies with one Idempotency-Key, the refused one creates no user', async () => {
  const emails = [newEmail(), newEmail()]
  const headers = { 'idempotency-key': randomUUID() }
  const calls = emails.map(
    (email) => () => startCheckout(world, { paywall: world.paywall, key: world.key, headers, body: { email } }),
  )
  // The first call claims the key, and then waits for the row of its price to store its checkout.
  const price = { hold: 'select from prices where id = $1 for update', values: [getPriceId(world.paywall, 'monthly')] }
  const [first, second] = await runWhileLocked(world, price, calls)
  parseOpened(first!)
  expect(second).toMatchObject({ status: 409, body: refusal('idempotency_key_reused') })
  const path = `/api/v1/paywall/${world.paywall.id}/user?email=${emails[1]}`
  expect(await call(world, path, { key: world.key })).toMatchObject({
    status: 404,
    body: { error: 'identity_not_found' },
  })
})
