import { afterEach, beforeEach, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { parseOpened, startCheckout } from '../support/checkout.ts'
import { countStripeCalls, loseWebhooks, payAndReturn, payWithoutWebhooks } from '../support/lost-webhooks.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { moveClock, passUntil } from '../support/passing-time.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { purchaseAtStripe } from '../support/stripe-purchase.ts'
import { cancelAsOwner, parseCancelled, subscribe } from '../support/subscriber.ts'
import { atNewPaywall } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.stripe.onCall = undefined
  world.neon.onStatement = undefined
})

const reconcile = () => world.workers.scheduled('reconcile')

const countCalls = (work: () => Promise<unknown>, ...ids: string[]) => countStripeCalls(world, work, ...ids)

/** A paywall with its own clock. */
async function openShop() {
  const shop = await atNewPaywall(world)
  return {
    shop,
    advance: (by: string) => world.clock.advance(shop.paywall.id, by),
    readPurchase: async (userId: string) => (await userState(shop, userId)).purchases[0],
  }
}

const eventTypes = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type)
const PURCHASE_EVENTS = ['checkout.completed', 'subscription.created']

test('a paid page whose webhooks were lost and whose buyer never returned is found once, and its events are emitted', async () => {
  const { shop, advance, readPurchase } = await openShop()
  const { userId, pageId, subscriptionId } = await payWithoutWebhooks(shop)
  expect(await countCalls(() => advance('14m'), pageId)).toEqual([0])
  expect(await countCalls(() => advance('2m'), pageId)).toEqual([1])

  expect(await readPurchase(userId)).toMatchObject(purchaseAtStripe(world, subscriptionId))
  expect((await verifiedBalances(world, userId)).standard).toBe(100)
  const events = await ownerEvents(world, userId)
  expect(events.map(({ type }) => type)).toEqual(PURCHASE_EVENTS)
  expect(findSequenceErrors(events)).toEqual([])
  expect(await countCalls(() => advance('3h'), pageId, subscriptionId)).toEqual([0, 0])
})

test('a purchase that is found emits its events at once, even if another read takes longer', async () => {
  const { shop } = await openShop()
  const { userId } = await payWithoutWebhooks(shop)
  const { checkoutUrl } = parseOpened(await startCheckout(world, shop))
  const { id: open } = world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)!
  world.stripe.onCall = async ({ path }, run) => {
    if (path.includes(open)) {
      await until('the paid page is stored', async () => {
        const { rowCount } = await world.database.query('select from events where user_id = $1', [userId])
        return rowCount === PURCHASE_EVENTS.length
      })
    }
    return run()
  }
  await world.database.query('update checkouts set reconcile_at = now() where paywall_id = $1', [shop.paywall.id])
  await reconcile()
  expect(await eventTypes(userId)).toEqual(PURCHASE_EVENTS)
})

test('an unpaid page is polled less and less often, and no more after two weeks', async () => {
  const { shop, advance } = await openShop()
  const { userId, checkoutUrl } = parseOpened(await startCheckout(world, shop))
  const { id } = world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)!
  // Stripe closes a page after a day, which ends the polls. Others do not.
  world.stripe.onCall = async ({ path }, run) => {
    const reply = await run()
    if (!path.endsWith(`/${id}`)) return reply
    return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), status: 'open' }) }
  }
  const hours = (count: number) => count * 60
  const due = [15, 30, ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 336].map(hours)]
  // A poll that comes a moment late makes the next one twice that late.
  const polls = due.map((moment) => Math.ceil(moment * 1.02) + 1)
  const betweenPolls = [...due.map((moment) => moment - 1), hours(348), hours(900)]
  const moments: number[] = []
  let age = 0
  for (const moment of [...polls, ...betweenPolls].toSorted((one, other) => one - other)) {
    const [times] = await countCalls(() => advance(`${moment - age}m`), id)
    age = moment
    moments.push(...Array<number>(times ?? 0).fill(moment))
  }
  expect(moments).toEqual(polls)
  expect((await userState(shop, userId)).purchases).toEqual([])
})

test('a subscription that ended without a webhook is found a week after it was last fetched', async () => {
  const { shop, advance, readPurchase } = await openShop()
  const { userId, subscriptionId } = await payAndReturn(shop)
  await world.stripe.end(subscriptionId)
  await loseWebhooks(world)
  expect(await countCalls(() => advance('167h'), subscriptionId)).toEqual([0])
  expect(await countCalls(() => advance('61m'), subscriptionId)).toEqual([1])
  expect(await readPurchase(userId)).toMatchObject({ status: 'canceled' })
  expect(await eventTypes(userId)).toEqual([...PURCHASE_EVENTS, 'subscription.ended'])
  expect(await countCalls(() => advance('60d'), subscriptionId)).toEqual([0])
})

test('a renewal without a webhook is found an hour after its time, or an hour later if Stripe is down', async () => {
  const { shop, advance, readPurchase } = await openShop()
  const { userId, subscriptionId } = await payAndReturn(shop)
  await passUntil(shop, (await readPurchase(userId))?.current_period_end, 50)
  expect(await eventTypes(userId)).toEqual(PURCHASE_EVENTS)
  // The SDK retries by itself.
  for (const _ of [1, 2]) world.stripe.failNext(`/v1/subscriptions/${subscriptionId}`, 500)
  expect(await countCalls(() => advance('9m'), subscriptionId)).toEqual([0])
  expect(await countCalls(() => advance('2m'), subscriptionId)).toEqual([2])
  expect(await countCalls(() => advance('57m'), subscriptionId)).toEqual([0])
  expect(await countCalls(() => advance('3m'), subscriptionId)).toEqual([1])

  expect(await readPurchase(userId)).toMatchObject(purchaseAtStripe(world, subscriptionId))
  expect((await verifiedBalances(world, userId)).standard).toBe(200)
  expect(await eventTypes(userId)).toEqual([...PURCHASE_EVENTS, 'subscription.renewed'])
  expect(await countCalls(() => advance('1d'), subscriptionId)).toEqual([0])
})

test('a payment of the next period without a webhook is found two hours after the period began', async () => {
  const { shop, advance, readPurchase } = await openShop()
  const { userId, subscriptionId } = await payAndReturn(shop)
  const end = (await readPurchase(userId))?.current_period_end
  await passUntil(shop, end, 30)
  await world.stripe.sendHeldWebhooks()
  world.stripe.holdWebhooks()
  expect(await readPurchase(userId)).toMatchObject(purchaseAtStripe(world, subscriptionId))
  expect((await readPurchase(userId))?.current_period_end).not.toBe(end)
  expect((await verifiedBalances(world, userId)).standard).toBe(100)
  expect(await countCalls(() => advance('89m'), subscriptionId)).toEqual([0])
  await loseWebhooks(world)
  expect(await countCalls(() => advance('2m'), subscriptionId)).toEqual([1])
  expect((await verifiedBalances(world, userId)).standard).toBe(200)
  expect((await eventTypes(userId)).filter((type) => type === 'subscription.renewed')).toHaveLength(1)
  expect(await countCalls(() => advance('1d'), subscriptionId)).toEqual([0])
})

test('a cancellation that Stripe accepted without a webhook is found ten minutes later', async () => {
  const { shop, advance, readPurchase } = await openShop()
  const subscriber = await subscribe(world, shop)
  await loseWebhooks(world)
  const { subscriptionId } = subscriber
  parseCancelled(await cancelAsOwner(world, shop, subscriber))
  await loseWebhooks(world)
  expect(await countCalls(() => advance('9m'), subscriptionId)).toEqual([0])
  expect(await countCalls(() => advance('2m'), subscriptionId)).toEqual([1])
  expect(await readPurchase(subscriber.id)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(await eventTypes(subscriber.id)).toEqual([...PURCHASE_EVENTS, 'subscription.cancel_scheduled'])
  expect(await countCalls(() => advance('1d'), subscriptionId)).toEqual([0])
})

test('two concurrent crons read each purchase once', async () => {
  const shop = await atNewPaywall(world)
  const unnoticed = await Promise.all(Array.from({ length: 6 }, () => payWithoutWebhooks(shop)))
  const fetched = await Promise.all(Array.from({ length: 6 }, () => payAndReturn(shop)))
  await moveClock(shop, 8 * 24 * 60)
  const ids = [...unnoticed.map(({ pageId }) => pageId), ...fetched.map(({ subscriptionId }) => subscriptionId)]
  raceStatements(world, 'take_due', 2)
  expect(await countCalls(() => Promise.all([reconcile(), reconcile()]), ...ids)).toEqual(Array(12).fill(1))
})

test('an account for which Stripe is down is logged, and delays no other account', async () => {
  const [downShop, otherShop] = [await openShop(), await openShop()]
  // As many as are read at a time.
  const unreadable = await Promise.all(Array.from({ length: 5 }, () => payWithoutWebhooks(downShop.shop)))
  const readable = await payWithoutWebhooks(otherShop.shop)
  await moveClock(downShop.shop, 25)
  await moveClock(otherShop.shop, 20)
  world.stripe.onCall = async ({ path }, run) => {
    if (unreadable.some(({ pageId }) => path.endsWith(`/${pageId}`))) throw new DroppedCall()
    return run()
  }
  const logged = world.logs.length
  await reconcile()
  expect(await otherShop.readPurchase(readable.userId)).toMatchObject(purchaseAtStripe(world, readable.subscriptionId))
  const { rows } = await world.database.query('select id from checkouts where paywall_id = $1', [
    downShop.shop.paywall.id,
  ])
  const shown = world.logs.slice(logged).filter(({ message }) => message.includes('reconcile failed'))
  expect(shown.map(({ message }) => JSON.parse(message).id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  expect(JSON.stringify(shown)).not.toMatch(/sk_test|@|whsec/)

  world.stripe.onCall = undefined
  await downShop.advance('30m')
  for (const { userId, subscriptionId } of unreadable) {
    const { purchases } = await userState(downShop.shop, userId)
    expect(purchases).toMatchObject([purchaseAtStripe(world, subscriptionId)])
  }
})
