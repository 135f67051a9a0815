import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buy } from '../support/checkout.ts'
import { countStripeCalls, loseWebhooks } from '../support/lost-webhooks.ts'
import { rewritePurchase } from '../support/our-time.ts'
import { monthly } from '../support/paywall-file.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  const lifetime = monthly({ slug: 'lifetime', interval: undefined, processorPrice: 'price_lifetime', locals: [] })
  world = await startTestWorld({ file: { paywall: { prices: [lifetime] } } })
})
beforeEach(() => world.stripe.holdWebhooks())
afterAll(() => world.close())

const purchaseOf = async (userId: string) => (await userState(world, userId)).purchases[0]

/** Buys once and comes back, and Stripe tells nothing. */
async function buyUntold() {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key, slug: 'lifetime' })
  await loseWebhooks(world)
  const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [userId])
  const paymentId: string = rows[0].processor_id
  return {
    userId,
    paymentId,
    rewrite: (columns: string) => rewritePurchase(world, userId, columns),
    /** How often a run of reconcile asks about it. */
    looks: () => countStripeCalls(world, () => world.workers.scheduled('reconcile'), paymentId),
  }
}

test('a bank’s payment that was not through is asked about daily, for two weeks', async () => {
  const { userId, rewrite, looks } = await buyUntold()
  const pending = (age: string, fetched: string) =>
    rewrite(`status = 'pending', created_at = now() - ${age}, fetched_at = now() - ${fetched}`)
  await pending("interval '5 days'", "interval '23 hours'")
  expect(await looks()).toEqual([0])
  await pending("interval '16 days'", "interval '25 hours'")
  expect(await looks()).toEqual([0])
  await pending("interval '5 days'", "interval '25 hours'")
  expect(await looks()).toEqual([1])
  expect(await purchaseOf(userId)).toMatchObject({ status: 'active', interval: null })
})

test('what was paid back untold is found, when the purchase is twice as old as at the last look', async () => {
  const { userId, paymentId, rewrite, looks } = await buyUntold()
  await world.stripe.refund(paymentId)
  await loseWebhooks(world)
  /** Bought so long ago, and last fetched after so many days. */
  async function looksAt(age: string, days: number) {
    await rewrite(
      `created_at = now() - interval '${age}', fetched_at = now() - interval '${age}' + interval '${days} days'`,
    )
    return looks()
  }
  expect(await looksAt('23 hours', 0)).toEqual([0])
  expect(await looksAt('39 days', 20)).toEqual([0])
  expect(await looksAt('800 days', 366), 'after a year nobody asks any more').toEqual([0])
  for (const _ of [1, 2]) world.stripe.failNext(`/v1/payment_intents/${paymentId}`, 500)
  expect(await looksAt('41 days', 20), 'the SDK asks twice by itself').toEqual([2])
  expect(await looks(), 'Stripe was away: not yet again').toEqual([0])
  await rewrite("looked_at = looked_at - interval '61 minutes'")
  expect(await looks()).toEqual([1])
  expect(await purchaseOf(userId)).toMatchObject({ status: 'refunded' })
  await rewrite("fetched_at = now() - interval '30 days'")
  expect(await looks(), 'what is paid back stays so').toEqual([0])
})
