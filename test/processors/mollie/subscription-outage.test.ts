// Mollie answers reads, and fails to create the subscription of a first payment. The buyer has paid, so the purchase is stored at once,
// and the creation is repeated until it succeeds.
import { afterEach, expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import { call } from '../../support/call.ts'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  openMollieShop,
  payFirst,
  postMollieWebhook,
} from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { until } from '../../support/until.ts'
import { userState, verifiedBalances } from '../../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })

afterEach(async () => {
  world.mollie.onCall = undefined
  await world.mollie.sendHeldWebhooks(() => [])
})

const MONTHLY_EVENTS = ['checkout.completed', 'payment.succeeded', 'subscription.created']
const TRIAL_EVENTS = ['checkout.completed', 'subscription.created']

type Fault = { status: number; headers?: Record<string, string> } | 'cut' | 'lost'

/** Makes each creation of a subscription fail. `lost`: only its response is lost. Returns how many were tried, and how to end that. */
function failCreations(fault: Fault) {
  let count = 0
  world.mollie.onCall = async ({ method, path }, run) => {
    if (method !== 'POST' || !path.endsWith('/subscriptions')) return run()
    count += 1
    if (fault === 'lost') await run()
    if (fault === 'cut' || fault === 'lost') throw new DroppedCall()
    return { headers: {}, ...fault, body: JSON.stringify({ status: fault.status, title: 'Service Unavailable' }) }
  }
  return {
    count: () => count,
    end: () => {
      world.mollie.onCall = undefined
    },
  }
}

const readTypes = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type).toSorted()

/** Not by the user endpoint, which would add the daily tokens of a user who has not bought yet. */
async function untilPaid(shop: TestWorld, userId: string): Promise<void> {
  await until('the purchase is stored', async () => {
    const { rowCount } = await world.database.query('select from purchases where user_id = $1 and begun', [userId])
    return rowCount === 1
  })
  expect(await userState(shop, userId)).toMatchObject({ paid: true })
}

const pendingReads = async ({ paywall }: TestWorld) =>
  (await world.database.query('select from pending_events where paywall_id = $1', [paywall.id])).rowCount

/** Expects that one subscription results once Mollie creates subscriptions again, and that the owner gets nothing twice. */
async function expectOneSubscription(
  { shop, passes }: Awaited<ReturnType<typeof openMollieShop>>,
  userId: string,
  types: string[],
): Promise<void> {
  await passes('2m')
  expect(listSubscriptions(world, userId)).toMatchObject([{ status: 'active' }])
  expect(await readTypes(userId)).toEqual(types)
  expect((await userState(shop, userId)).purchases).toHaveLength(1)
  expect(await pendingReads(shop)).toBe(0)
}

test.each<[string, string[], Fault]>([
  ['monthly', MONTHLY_EVENTS, { status: 503 }],
  ['yearly', TRIAL_EVENTS, { status: 503 }],
  ['monthly', MONTHLY_EVENTS, 'cut'],
  ['monthly', MONTHLY_EVENTS, 'lost'],
])(
  'a webhook of a paid first payment gives access although its subscription cannot be created',
  async (slug, types, fault) => {
    const opened = await openMollieShop(world)
    const { shop, passes } = opened
    const creations = failCreations(fault)
    const { userId } = await payFirst(shop, slug)
    await untilPaid(shop, userId)
    await world.mollie.drainWebhooks()
    const balances = await verifiedBalances(world, userId)
    if (slug === 'monthly') expect(balances.standard).toBe(100)
    expect(await readTypes(userId)).toEqual(types)

    const tried = creations.count()
    await passes('20m')
    if (fault !== 'lost') expect(creations.count()).toBeGreaterThanOrEqual(tried + 10)
    expect(listSubscriptions(world, userId)).toHaveLength(fault === 'lost' ? 1 : 0)
    expect(await readTypes(userId)).toEqual(types)
    creations.end()
    await expectOneSubscription(opened, userId, types)
    expect(await verifiedBalances(world, userId)).toEqual(balances)

    await passes('33d')
    expect(getPayments(world, userId).map(({ status }) => status)).toEqual(['paid', 'paid'])
    expect((await readTypes(userId)).filter((type) => type === 'subscription.renewed')).toHaveLength(1)
  },
)

test('a signed webhook alone gives access, and the creation is repeated after the event was applied', async () => {
  const opened = await openMollieShop(world)
  const { shop } = opened
  world.mollie.holdWebhooks()
  const creations = failCreations({ status: 503 })
  const { userId, paymentId } = await payFirst(shop)
  const event = world.mollie.events.find(({ type, _embedded: { entity } }) => {
    return type === 'payment.paid' && entity.id === paymentId
  })
  for (let time = 0; time < 2; time++) {
    expect(await postMollieWebhook(shop, JSON.stringify(event), { secret: getSecret(shop) })).toMatchObject({
      status: 200,
    })
    expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  }
  creations.end()
  await expectOneSubscription(opened, userId, MONTHLY_EVENTS)
})

function getSecret({ paywall: { processor } }: TestWorld): string {
  if (processor.acquiring !== 'mollie') throw new Error('the paywall does not sell through Mollie')
  return String(processor.credentials.webhookSecret)
}

test('a returning browser finds the purchase although its subscription cannot be created', async () => {
  const opened = await openMollieShop(world)
  const { shop } = opened
  world.mollie.holdWebhooks()
  const creations = failCreations({ status: 503 })
  const { userId, back } = await payFirst(shop)
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
  await untilPaid(shop, userId)
  creations.end()
  await expectOneSubscription(opened, userId, MONTHLY_EVENTS)
})

test('reconcile finds the purchase although its subscription cannot be created', async () => {
  const opened = await openMollieShop(world)
  const { shop, passes } = opened
  world.mollie.holdWebhooks()
  const creations = failCreations({ status: 503 })
  const { userId } = await payFirst(shop)
  await passes('16m')
  expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  creations.end()
  await expectOneSubscription(opened, userId, MONTHLY_EVENTS)
})

test('a pause that Mollie asks for is kept before the creation is repeated', async () => {
  const opened = await openMollieShop(world)
  const { shop, passes } = opened
  world.mollie.holdWebhooks()
  const creations = failCreations({ status: 429, headers: { 'Retry-After': '600' } })
  const { userId, back } = await payFirst(shop)
  await call(world, back)
  await untilPaid(shop, userId)
  const calls = world.mollie.calls.length
  await passes('9m')
  expect(world.mollie.calls).toHaveLength(calls)
  creations.end()
  await expectOneSubscription(opened, userId, MONTHLY_EVENTS)
})

test('a purchase that is cancelled before its subscription can be created never gets one', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.holdWebhooks()
  const creations = failCreations({ status: 503 })
  const { userId, back } = await payFirst(shop)
  await call(world, back)
  await untilPaid(shop, userId)
  const [purchase] = (await userState(shop, userId)).purchases
  const body = { paywallId: shop.paywall.id, userId, subscriptionId: purchase?.id, cancellationReason: 'x' }
  expect(await call(world, '/api/paywall/cancel-subscription', { key: shop.key, body })).toMatchObject({ status: 200 })
  creations.end()
  await passes('2h')
  expect(listSubscriptions(world, userId)).toEqual([])
  expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ cancel_at_period_end: true }] })
  expect(await readTypes(userId)).toEqual([...MONTHLY_EVENTS, 'subscription.cancel_scheduled'].toSorted())
})
