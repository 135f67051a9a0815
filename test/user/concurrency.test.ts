import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { buy, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { monthly } from '../support/paywall-file.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { until } from '../support/until.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

/** Daily limits and a price's tokens in opposite orders: locking balances in the order of the file would deadlock. */
const limits = [
  { type: 'alpha', daily_limit: 10 },
  { type: 'beta', daily_limit: 20 },
  { type: 'gamma', daily_limit: 30 },
]
const tokens = ['gamma', 'beta', 'alpha'].map((type) => ({ type, count: 100 }))
const prices = [monthly({ tokens })]
const world = useTestWorld({ file: { paywall: { settings: { tokenization_queries: limits }, prices } } })
afterEach(() => {
  world.neon.onStatement = undefined
})

const CREDITED = { alpha: 100, beta: 100, gamma: 100 }

async function openCheckout(email = newEmail()) {
  const headers = { 'idempotency-key': randomUUID() }
  const order = { paywall: world.paywall, key: world.key, headers, body: { email } }
  return parseOpened(await startCheckout(world, order))
}

const many = <Result>(count: number, run: () => Promise<Result>) => Promise.all(Array.from({ length: count }, run))

test('40 first reads of the day top a balance up once', async () => {
  const user = await signIn(world)
  raceStatements(world, 'read_user', 12)
  const states = await many(40, () => userState(world, user.id))
  for (const { balances } of states) {
    expect(balances).toEqual([
      { type: 'alpha', count: 10 },
      { type: 'beta', count: 20 },
      { type: 'gamma', count: 30 },
    ])
  }
  const { rows } = await world.database.query('select delta, reason from ledger where user_id = $1 order by delta', [
    user.id,
  ])
  expect(rows).toEqual(['10', '20', '30'].map((delta) => ({ delta, reason: 'top_up' })))
  expect(await verifiedBalances(world, user.id)).toEqual({ alpha: 10, beta: 20, gamma: 30 })
})

test('reads that top up while webhooks credit the price’s tokens neither fail nor lose a token', async () => {
  const users = await many(12, () => openCheckout())
  await Promise.all(
    users.map(async ({ checkoutUrl, userId }) => {
      await press(checkoutUrl, 'pay')
      await many(4, () => userState(world, userId))
    }),
  )
  await world.stripe.drainWebhooks()
  for (const { userId } of users) {
    const balances = await verifiedBalances(world, userId)
    expect([CREDITED, { alpha: 110, beta: 120, gamma: 130 }]).toContainEqual(balances)
  }
})

test('a read and a webhook that change the same balances at once wait for each other, and both succeed', async () => {
  const { id, email } = await signIn(world)
  await userState(world, id)
  await world.clock.advance(world.paywall.id, '1d')
  const { checkoutUrl, userId } = await openCheckout(email)
  world.stripe.holdWebhooks()
  await press(checkoutUrl, 'pay')
  const paid = world.stripe.events.findLast(({ type }) => type === 'invoice.paid')

  const both = await withClient(world.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query("select from balances where user_id = $1 and type = 'beta' for update", [userId])
    const answers = Promise.all([userState(world, userId), world.stripe.resend(paid!.id)])
    await until('both waiting', async () => {
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      return (await client.query(waiting)).rowCount === 2
    })
    await client.query('commit')
    return answers
  })
  await world.stripe.sendHeldWebhooks()
  expect(both[1]).toEqual([200])
  expect(await verifiedBalances(world, userId)).toEqual({ alpha: 110, beta: 120, gamma: 130 })
})

test('concurrent reads of a user who has paid store no top-up', async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
  await many(10, () => userState(world, userId))
  expect(await verifiedBalances(world, userId)).toEqual(CREDITED)
})
