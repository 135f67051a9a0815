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
  async function buyWithoutWebhooks() {
    const order = await startCheckout(world, { ...shop, body: { priceId: getPriceId(shop.paywall, 'lifetime') } })
    const { userId, checkoutUrl } = parseOpened(order)
    expect(await call(world, await press(checkoutUrl, action))).toMatchObject({ status: 303 })
    await loseWebhooks(world)
    const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [userId])
    return { userId, paymentId: String(rows[0].processor_id) }
  }
  const sold: Awaited<ReturnType<typeof buyWithoutWebhooks>>[] = []
  for (let index = 0; index < count; index++) sold.push(await buyWithoutWebhooks())
  const payments = sold.map(({ paymentId }) => paymentId)
  return {
    payments,
    /** How often each payment is read from Stripe while this time passes. */
    polls: (by: string) => countStripeCalls(world, () => world.clock.advance(shop.paywall.id, by), ...payments),
    purchases: () => Promise.all(sold.map(async ({ userId }) => (await userState(shop, userId)).purchases[0])),
  }
}

test('a processing bank payment is polled daily, for two weeks', async () => {
  const { payments, polls, purchases } = await sell('later', 3)
  const [paid, failed] = payments
  await world.stripe.resolvePayment(failed!, { fail: true })
  /** Payments that the bank keeps processing, for longer than Stripe's emulator would. */
  const pending = new Set<unknown>(payments)
  world.stripe.onCall = async (_, run) => {
    const reply = await run()
    const markProcessing = (name: string, value: unknown) => {
      if (name === 'payment_status') return 'unpaid'
      return pending.has(Reflect.get(Object(value), 'id')) ? { ...Object(value), status: 'processing' } : value
    }
    return { ...reply, body: JSON.stringify(JSON.parse(reply.body, markProcessing)) }
  }
  // Their pages are polled as well, whenever they are twice as old, and show the payments.
  expect(await polls('129h')).toEqual([3, 3, 3])
  expect(await polls('22h')).toEqual([0, 0, 0])
  expect(await polls('2h')).toEqual([1, 1, 1])
  expect(await purchases()).toMatchObject(Array(3).fill({ status: 'pending' }))
  pending.delete(paid)
  pending.delete(failed)
  expect(await polls('1d')).toEqual([1, 1, 1])
  expect(await purchases()).toMatchObject([
    { status: 'active', interval: null },
    { status: 'canceled' },
    { status: 'pending' },
  ])
  const counted = [await polls('7d'), await polls('2d'), await polls('20d')]
  const [failedPolls, pendingPolls] = [1, 2].map((payment) => counted.map((each) => each[payment]))
  expect(failedPolls).toEqual([0, 0, 0])
  // The last poll of the page comes a moment before the payment's two weeks are over, so another follows a day later.
  expect(pendingPolls).toEqual([6, 1, 0])
})

test('a bank payment that fails without a webhook is found when its page is polled', async () => {
  const { payments, polls, purchases } = await sell('later', 1)
  await world.stripe.resolvePayment(payments[0]!, { fail: true })
  await loseWebhooks(world)
  await polls('14m')
  expect(await purchases()).toMatchObject([{ status: 'pending' }])
  await polls('2m')
  expect(await purchases()).toMatchObject([{ status: 'canceled' }])
})

test('a refund without a webhook is found when the purchase is twice as old as at the last poll', async () => {
  const { payments, polls, purchases } = await sell('pay', 2)
  expect(await polls('23h')).toEqual([0, 0])
  expect(await polls('2h')).toEqual([1, 1])
  expect(await polls('32d'), 'after 2, 4, 8, 16 and 32 days').toEqual([5, 5])
  await world.stripe.refund(payments[0]!)
  await loseWebhooks(world)
  expect(await polls('30d')).toEqual([0, 0])
  expect(await polls('1370m')).toEqual([0, 0])
  for (const _ of [1, 2]) world.stripe.failNext(`/v1/payment_intents/${payments[0]}`, 500)
  expect(await polls('20m'), 'after 64 days; the SDK calls twice by itself').toEqual([2, 1])
  expect(await polls('40m'), 'Stripe was down: not retried yet').toEqual([0, 0])
  expect(await polls('20m')).toEqual([1, 0])
  expect(await purchases()).toMatchObject([{ status: 'refunded' }, { status: 'active' }])
  expect(await polls('800d'), 'no more polls after a year').toEqual([3, 3])
})
