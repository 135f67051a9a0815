import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { opened, startCheckout } from '../support/checkout.ts'
import { recomputeDueTimes } from '../support/due-times.ts'
import { ageCheckouts, countStripeCalls, loseWebhooks, payAndComeBack, payUnnoticed } from '../support/lost-webhooks.ts'
import { ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { asStripeHasIt } from '../support/stripe-purchase.ts'
import { cancelFor, cancelled, subscribe } from '../support/subscriber.ts'
import { tenant } from '../support/tenants.ts'
import { runTogether } from '../support/together.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.stripe.onCall = undefined
  world.neon.onStatement = undefined
})
afterAll(() => world.close())

const reconcile = () => world.workers.scheduled('reconcile')

const countCalls = (during: () => Promise<unknown>, ...ids: string[]) => countStripeCalls(world, during, ...ids)

/** Makes our row of a purchase as it would be at another time; Stripe's subscription stays as it is. */
async function rewrite({ subscriptionId: id }: { subscriptionId: string }, columns: string): Promise<void> {
  const { rowCount } = await world.database.query(`update purchases set ${columns} where processor_id = $1`, [id])
  expect(rowCount).toBe(1)
  await recomputeDueTimes(world)
}

const purchaseOf = async (userId: string) => (await userState(world, userId)).purchases[0]
const eventTypes = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type)
const bought = ['checkout.completed', 'subscription.created']

test('a paid page whose webhooks were lost and whose buyer never came back is found, once, and told', async () => {
  const { userId, pageId, subscriptionId } = await payUnnoticed(world)
  await ageCheckouts(world, userId, 14)
  expect(await countCalls(reconcile, pageId)).toEqual([0])
  await ageCheckouts(world, userId, 2)
  expect(await countCalls(reconcile, pageId)).toEqual([1])

  expect(await purchaseOf(userId)).toMatchObject(asStripeHasIt(world, subscriptionId))
  expect((await provenBalances(world, userId)).standard).toBe(100)
  const events = await ownerEvents(world, userId)
  expect(events.map(({ type }) => type)).toEqual(bought)
  expect(sequenceFaults(events)).toEqual([])
  await ageCheckouts(world, userId, 180)
  expect(await countCalls(reconcile, pageId, subscriptionId)).toEqual([0, 0])
})

test('a page that nobody pays is looked at less and less often, and after four days no more', async () => {
  const order = { paywall: world.paywall, key: world.key }
  const { userId, checkoutUrl } = opened(await startCheckout(world, order))
  const { id } = world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)!
  const hours = (count: number) => count * 60
  const [looks, quiet] = [
    [16, 33, 67, hours(3), hours(7), hours(15), hours(31), hours(63), hours(97)],
    [14, 31, 65, hours(2), hours(5), hours(13), hours(29), hours(61), hours(95), hours(98), hours(200)],
  ]
  const moments: number[] = []
  let age = 0
  for (const moment of [...looks, ...quiet].toSorted((one, other) => one - other)) {
    await ageCheckouts(world, userId, moment - age)
    age = moment
    const [times] = await countCalls(reconcile, id)
    moments.push(...Array<number>(times ?? 0).fill(moment))
  }
  expect(moments).toEqual(looks)
  expect((await userState(world, userId)).purchases).toEqual([])
})

test('a subscription that ended untold is found a week after it was last fetched', async () => {
  const paid = await payAndComeBack(world)
  const { userId, subscriptionId } = paid
  await world.stripe.end(subscriptionId)
  await loseWebhooks(world)
  await rewrite(paid, "fetched_at = now() - interval '6 days 23 hours'")
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
  await rewrite(paid, "fetched_at = now() - interval '7 days 1 minute'")
  expect(await countCalls(reconcile, subscriptionId)).toEqual([1])
  expect(await purchaseOf(userId)).toMatchObject({ status: 'canceled' })
  expect(await eventTypes(userId)).toEqual([...bought, 'subscription.ended'])

  await rewrite(paid, "fetched_at = now() - interval '60 days', current_period_end = now() - interval '30 days'")
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
})

test('a renewal that was not told is found an hour after its time, or an hour later if Stripe is away', async () => {
  const paid = await payAndComeBack(world)
  const { userId, subscriptionId } = paid
  await world.stripe.renew(subscriptionId)
  await loseWebhooks(world)
  const periodEnded = (ago: string) =>
    rewrite(
      paid,
      `current_period_start = now() - interval '1 month', current_period_end = now() - interval '${ago}',
       fetched_at = now() - interval '2 days'`,
    )
  await periodEnded('50 minutes')
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
  await periodEnded('61 minutes')
  // The SDK asks a second time by itself.
  for (const _ of [1, 2]) world.stripe.failNext(`/v1/subscriptions/${subscriptionId}`, 500)
  expect(await countCalls(reconcile, subscriptionId)).toEqual([2])
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
  await rewrite(paid, "looked_at = looked_at - interval '61 minutes'")
  expect(await countCalls(reconcile, subscriptionId)).toEqual([1])

  expect(await purchaseOf(userId)).toMatchObject(asStripeHasIt(world, subscriptionId))
  expect((await provenBalances(world, userId)).standard).toBe(200)
  expect(await eventTypes(userId)).toEqual([...bought, 'subscription.renewed'])
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
})

test('a payment of the next period that was not told is found two hours after the period began', async () => {
  const paid = await payAndComeBack(world)
  const { userId, subscriptionId } = paid
  await world.stripe.rollOver(subscriptionId)
  await world.stripe.sendHeldWebhooks()
  world.stripe.holdWebhooks()
  expect((await provenBalances(world, userId)).standard).toBe(100)
  await world.stripe.renew(subscriptionId)
  await loseWebhooks(world)
  const begun = (ago: string) =>
    rewrite(
      paid,
      `paid_period_start = now() - interval '1 month', current_period_start = now() - interval '${ago}',
       fetched_at = now() - interval '1 hour'`,
    )
  await begun('119 minutes')
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
  await begun('121 minutes')
  expect(await countCalls(reconcile, subscriptionId)).toEqual([1])
  expect((await provenBalances(world, userId)).standard).toBe(200)
  expect((await eventTypes(userId)).filter((type) => type === 'subscription.renewed')).toHaveLength(1)
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
})

test('a cancellation that Stripe took and did not tell us of shows ten minutes later', async () => {
  const ours = { file: world.file, paywall: world.paywall, key: world.key }
  const subscriber = await subscribe(world, ours)
  await loseWebhooks(world)
  const { subscriptionId } = subscriber
  cancelled(await cancelFor(world, ours, subscriber))
  await loseWebhooks(world)
  const acceptedAgo = (time: string) =>
    rewrite(
      subscriber,
      `cancel_requested_at = now() - interval '${time}', cancel_accepted_at = now() - interval '${time}',
       fetched_at = now() - interval '20 minutes'`,
    )
  await acceptedAgo('9 minutes')
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
  await acceptedAgo('11 minutes')
  expect(await countCalls(reconcile, subscriptionId)).toEqual([1])
  expect(await purchaseOf(subscriber.id)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(await eventTypes(subscriber.id)).toEqual([...bought, 'subscription.cancel_scheduled'])
  await rewrite(subscriber, "fetched_at = now() - interval '1 day'")
  expect(await countCalls(reconcile, subscriptionId)).toEqual([0])
})

test('two crons at once ask about each purchase once', async () => {
  const unnoticed = await Promise.all(Array.from({ length: 6 }, () => payUnnoticed(world)))
  const fetched = await Promise.all(Array.from({ length: 6 }, () => payAndComeBack(world)))
  for (const { userId } of unnoticed) await ageCheckouts(world, userId, 20)
  for (const paid of fetched) await rewrite(paid, "fetched_at = now() - interval '8 days'")
  const ids = [...unnoticed.map(({ pageId }) => pageId), ...fetched.map(({ subscriptionId }) => subscriptionId)]
  runTogether(world, 'take_due', 2)
  expect(await countCalls(() => Promise.all([reconcile(), reconcile()]), ...ids)).toEqual(Array(12).fill(1))
})

test('an account whose Stripe is away is logged and holds up no other', async () => {
  const file = await paywallFile()
  await world.apply(file)
  const { paywall, key } = tenant(file)
  // One for each that may be asked about at a time.
  const away = await Promise.all(Array.from({ length: 5 }, () => payUnnoticed({ ...world, paywall, key })))
  const well = await payUnnoticed(world)
  for (const { userId } of away) await ageCheckouts(world, userId, 60)
  await ageCheckouts(world, well.userId, 20)
  world.stripe.onCall = async ({ path }, run) => {
    if (away.some(({ pageId }) => path.endsWith(`/${pageId}`))) throw new DroppedCall()
    return run()
  }
  const logged = world.logs.length
  await reconcile()
  expect(await purchaseOf(well.userId)).toMatchObject(asStripeHasIt(world, well.subscriptionId))
  const { rows } = await world.database.query('select id from checkouts where paywall_id = $1', [paywall.id])
  const said = world.logs.slice(logged).filter(({ message }) => message.includes('not reconciled'))
  expect(said.map(({ message }) => JSON.parse(message).id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  expect(JSON.stringify(said)).not.toMatch(/sk_test|@|whsec/)

  world.stripe.onCall = undefined
  for (const { userId } of away) await ageCheckouts(world, userId, 61)
  await reconcile()
  for (const { userId, subscriptionId } of away) {
    const { purchases } = await userState(world, userId, { paywallId: paywall.id, key })
    expect(purchases).toMatchObject([asStripeHasIt(world, subscriptionId)])
  }
})
