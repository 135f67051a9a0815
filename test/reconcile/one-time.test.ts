import { afterEach, beforeEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { getPriceId, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { countStripeCalls, loseWebhooks } from '../support/lost-webhooks.ts'
import { monthly } from '../support/paywall-file.ts'
import { atNewPaywall } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.stripe.onCall = undefined
})

/** A paywall with its own clock and one one-time price, and `count` purchases without webhooks. */
async function sell(action: 'pay' | 'later', count: number) {
  const lifetime = monthly({
    slug: 'lifetime',
    access: true,
    interval: undefined,
    processorPrice: 'price_lifetime',
    locals: [],
  })
  const shop = await atNewPaywall(world, { prices: [lifetime] })
  async function buyUntold() {
    const order = await startCheckout(world, { ...shop, body: { priceId: getPriceId(shop.paywall, 'lifetime') } })
    const { userId, checkoutUrl } = parseOpened(order)
    expect(await call(world, await press(checkoutUrl, action))).toMatchObject({ status: 303 })
    await loseWebhooks(world)
    const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [userId])
    return { userId, paymentId: String(rows[0].processor_id) }
  }
  const sold: Awaited<ReturnType<typeof buyUntold>>[] = []
  for (let index = 0; index < count; index++) sold.push(await buyUntold())
  const payments = sold.map(({ paymentId }) => paymentId)
  return {
    payments,
    /** How often Stripe is asked about each payment while this time passes. */
    looks: (by: string) => countStripeCalls(world, () => world.clock.advance(shop.paywall.id, by), ...payments),
    purchases: () => Promise.all(sold.map(async ({ userId }) => (await userState(shop, userId)).purchases[0])),
  }
}

test('a processing bank payment is polled daily, for two weeks', async () => {
  const { payments, looks, purchases } = await sell('later', 3)
  const [paid, failed] = payments
  await world.stripe.resolvePayment(failed!, { fail: true })
  /** What the bank is processing, for longer than Stripe's emulator would leave it so. */
  const pending = new Set<unknown>(payments)
  world.stripe.onCall = async (_, run) => {
    const answer = await run()
    const inHand = (name: string, value: unknown) => {
      if (name === 'payment_status') return 'unpaid'
      return pending.has(Reflect.get(Object(value), 'id')) ? { ...Object(value), status: 'processing' } : value
    }
    return { ...answer, body: JSON.stringify(JSON.parse(answer.body, inHand)) }
  }
  // Their pages are polled as well, whenever they are twice as old, and show the payments.
  expect(await looks('129h')).toEqual([3, 3, 3])
  expect(await looks('22h')).toEqual([0, 0, 0])
  expect(await looks('2h')).toEqual([1, 1, 1])
  expect(await purchases()).toMatchObject(Array(3).fill({ status: 'pending' }))
  pending.delete(paid)
  pending.delete(failed)
  expect(await looks('1d')).toEqual([1, 1, 1])
  expect(await purchases()).toMatchObject([
    { status: 'active', interval: null },
    { status: 'canceled' },
    { status: 'pending' },
  ])
  const counted = [await looks('7d'), await looks('2d'), await looks('20d')]
  const [ofFailed, ofPending] = [1, 2].map((payment) => counted.map((each) => each[payment]))
  expect(ofFailed).toEqual([0, 0, 0])
  // The last poll of the page comes a moment before the payment's two weeks are over, so another follows a day later.
  expect(ofPending).toEqual([6, 1, 0])
})

test('a refund without a webhook is found when the purchase is twice as old as at the last poll', async () => {
  const { payments, looks, purchases } = await sell('pay', 2)
  expect(await looks('23h')).toEqual([0, 0])
  expect(await looks('2h')).toEqual([1, 1])
  expect(await looks('32d'), 'after 2, 4, 8, 16 and 32 days').toEqual([5, 5])
  await world.stripe.refund(payments[0]!)
  await loseWebhooks(world)
  expect(await looks('30d')).toEqual([0, 0])
  expect(await looks('1370m')).toEqual([0, 0])
  for (const _ of [1, 2]) world.stripe.failNext(`/v1/payment_intents/${payments[0]}`, 500)
  expect(await looks('20m'), 'after 64 days; the SDK asks twice by itself').toEqual([2, 1])
  expect(await looks('40m'), 'Stripe was away: not yet again').toEqual([0, 0])
  expect(await looks('20m')).toEqual([1, 0])
  expect(await purchases()).toMatchObject([{ status: 'refunded' }, { status: 'active' }])
  expect(await looks('800d'), 'after a year nobody asks any more').toEqual([3, 3])
})
