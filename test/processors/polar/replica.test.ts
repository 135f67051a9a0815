import { afterEach, expect, test } from 'vitest'
import {
  advanceClock,
  type Buyer,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pay,
  readPurchase,
  readState,
  readTokens,
} from '../../conformance/buyer.ts'
import { reconcileAll } from '../../conformance/reconcile.ts'
import { type Shop, shopAt, useShops } from '../../conformance/shop.ts'
import { purchaseBy, replacing } from '../../conformance/upgrading.ts'
import { heldWebhooks, sendWebhook } from '../../conformance/webhook.ts'
import { press } from '../../support/checkout.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { permutations, seededRandom, shuffled } from '../../support/random.ts'
import { cancel } from '../../support/subscriber.ts'
import { until } from '../../support/until.ts'

// Polar answers reads from a replica: what it returns may be older than the webhook that made us ask.

const getShop = useShops()

const lagging = async (seconds: number): Promise<Shop> => {
  const shop = getShop('polar')
  await shop.world.polar.setReplicaLag(shop.paywall.id, seconds)
  return shop
}

afterEach(async () => {
  const shop = await lagging(0)
  shop.emulator.onCall = undefined
  await shop.emulator.sendHeldWebhooks()
})

const pendingEvents = async ({ world }: Shop) => (await world.database.query('select * from pending_events')).rows
const bought = ['checkout.completed', 'payment.succeeded 999', 'subscription.created']

/** A buyer who has bought while reads lag behind, with everything stored by now. */
async function buyer(shop: Shop): Promise<Buyer> {
  const one = await open(shop)
  await pay(one)
  expect(await advanceClock(one, '1m')).toEqual(bought)
  await expectStoredAsAtProcessor(one)
  return one
}

test('a revoked subscription loses its access within a minute, by itself and in real time', async () => {
  const shop = await lagging(1)
  const one = await buyer(shop)
  await shop.emulator.drainWebhooks()
  const id = await getProcessorId(one)
  await shop.world.polar.end(id)
  await shop.emulator.drainWebhooks()
  expect(await pendingEvents(shop)).not.toEqual([])
  await until('the access is lost', async () => !(await readState(one)).paid, 20_000)
  expect(await readPurchase(one)).toMatchObject({ status: 'canceled' })
  expect(await newEvents(one)).toEqual(['subscription.ended'])
})

const acts: [string, (shop: Shop, id: string) => Promise<unknown>, string[]][] = [
  ['a revocation', (shop, id) => shop.world.polar.end(id), ['subscription.ended']],
  ['a cancellation in the portal', ({ world }, id) => world.polar.portalCancel(id), ['subscription.cancel_scheduled']],
  [
    'a change of plan in the portal',
    (shop, id) => shop.world.polar.changePlan(id, shop.driver.prices.plus),
    ['subscription.plan_changed'],
  ],
  ['a renewal', (shop, id) => shop.there.renew(id), ['payment.succeeded 999', 'subscription.renewed']],
]

test.each(acts)('%s is stored within a minute, once, and never undone by a stale read', async (_, act, received) => {
  const shop = await lagging(20)
  const one = await buyer(shop)
  const id = await getProcessorId(one)
  await act(shop, id)
  await shop.emulator.drainWebhooks()
  expect(await ownerEvents(shop.world, one.userId)).toHaveLength(one.received)
  expect(await advanceClock(one, '1m')).toEqual(received)
  await expectStoredAsAtProcessor(one)
  expect(await pendingEvents(shop)).toEqual([])
  // The replica falls behind, and everything is read again.
  await lagging(600)
  const before = await readPurchase(one)
  await shop.world.database.query('update purchases set reconcile_at = now()')
  await shop.world.workers.scheduled('reconcile')
  expect(await readPurchase(one)).toEqual(before)
  expect(await newEvents(one)).toEqual([])
})

test('a refunded one-time purchase is found as refunded within a minute', async () => {
  const shop = await lagging(20)
  const one = await open(shop, 'lifetime')
  await pay(one)
  expect(await advanceClock(one, '1m')).toEqual(['checkout.completed', 'payment.succeeded 4900'])
  await shop.there.refund(await getProcessorId(one))
  await shop.emulator.drainWebhooks()
  expect(await readState(one)).toMatchObject({ paid: true })
  expect(await advanceClock(one, '1m')).toEqual(['payment.refunded 4900'])
  expect(await readState(one)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
})

test('a refund that fails is found at once where no webhook reports it, since refunds are not read from a replica', async () => {
  const shop = await lagging(0)
  const one = await buyer(shop)
  const { id: refund } = (await shop.there.refund(await getProcessorId(one))) as { id: string }
  expect(await newEvents(one)).toContain('payment.refunded 999')
  await lagging(86_400)
  shop.emulator.holdWebhooks()
  await shop.world.polar.resolveRefund(refund, { fail: true })
  await shop.emulator.sendHeldWebhooks(() => [])
  await reconcileAll(shop)
  expect(await newEvents(one)).toContain('payment.refund_failed 999')
})

test('a cancellation here is not undone by a stale read', async () => {
  const shop = await lagging(20)
  const one = await buyer(shop)
  const { id } = (await readPurchase(one)) ?? {}
  const body = { paywallId: shop.paywall.id, userId: one.userId, subscriptionId: id, cancellationReason: 'x' }
  shop.emulator.holdWebhooks()
  expect(await cancel(shop.world, { key: shop.key, body })).toMatchObject({ status: 200 })
  await shop.world.database.query('update purchases set reconcile_at = now()')
  await shop.world.workers.scheduled('reconcile')
  const { rows } = await shop.world.database.query('select cancel_accepted_at from purchases where id = $1', [id])
  expect(rows).toMatchObject([{ cancel_accepted_at: expect.any(Date) }])
  await shop.emulator.sendHeldWebhooks()
  expect(await advanceClock(one, '1m')).toEqual(['subscription.cancel_scheduled'])
  expect(await readPurchase(one)).toMatchObject({ cancel_at_period_end: true })
})

type Change = ({ world, there }: Shop, id: string) => Promise<unknown>

test.each<[string, Change, Change]>([
  ['is paused', async () => undefined, ({ world }, id) => world.polar.pause(id)],
  [
    'is to end, and is past due',
    async ({ world }, id) => {
      await world.polar.rollOver(id)
      await world.polar.portalCancel(id)
    },
    ({ there }, id) => there.failCharge(id),
  ],
])('a subscription that %s when it is replaced ends at once, whatever the replica shows', async (_, before, after) => {
  const shop = await lagging(0)
  const one = await buyer(shop)
  const [{ id: here }, id] = [(await readPurchase(one))!, await getProcessorId(one)]
  await before(shop, id)
  await newEvents(one)
  const page = await open(shop, 'plus', replacing(one))
  shop.emulator.onCall = async ({ method, path }, run) => {
    if (method === 'PATCH' && path.endsWith(id)) {
      shop.emulator.onCall = undefined
      await lagging(600)
      await after(shop, id)
    }
    return run()
  }
  await pay(page)
  await shop.emulator.drainWebhooks()
  expect(shop.there.sales().find(({ processorId }) => processorId === id)).toMatchObject({ status: 'canceled' })
  await lagging(0)
  await advanceClock(one, '2m')
  expect(await purchaseBy(one, here)).toMatchObject({ status: 'canceled' })
})

test('a browser that returns at once sees the thanks page, and the purchase is there within a minute', async () => {
  const shop = await lagging(20)
  const one = await open(shop)
  await pay(one)
  expect((await readState(one)).purchases).toEqual([])
  expect(await advanceClock(one, '1m')).toEqual(bought)
  expect(await readTokens(one)).toBe(100)
})

test('a page that is read as paid before its order can be read has sold within a minute', async () => {
  const shop = await lagging(0)
  const one = await open(shop)
  const webhooks = await heldWebhooks(shop, () => press(one.checkoutUrl, 'pay'))
  const completed = webhooks.findLast(({ body }) => JSON.parse(body).type === 'checkout.updated')!
  const body = JSON.stringify({ items: [], pagination: { total_count: 0, max_page: 0 } })
  shop.emulator.onCall = async ({ path }, run) =>
    path.startsWith('/v1/orders') ? { status: 200, headers: { 'content-type': 'application/json' }, body } : run()
  expect((await sendWebhook(shop, completed)).status).toBe(200)
  expect((await readState(one)).purchases).toEqual([])
  shop.emulator.onCall = undefined
  expect(await advanceClock(one, '1m')).toEqual(['checkout.completed', 'subscription.created'])
  expect(await pendingEvents(shop)).toEqual([])
})

test('webhooks of a purchase and its end, in any order and with reads of any age, end in Polar’s state', async () => {
  const shop = await lagging(3)
  const random = seededRandom(18)
  const kinds = ['checkout.updated', 'subscription.created', 'order.paid', 'subscription.revoked']
  for (const order of shuffled(permutations(kinds), random).slice(0, 8)) {
    const one = await open(shop)
    const webhooks = await heldWebhooks(shop, async () => {
      await press(one.checkoutUrl, 'pay')
      const created = shop.world.polar.events.findLast(({ type }) => type === 'subscription.created')
      await shop.world.polar.end(String(Reflect.get(created!.data, 'id')))
    })
    const chosen = order.map((kind) => webhooks.find(({ body }) => JSON.parse(body).type === kind)!)
    for (const webhook of [...chosen, ...webhooks]) {
      expect((await sendWebhook(shop, webhook)).status).toBe(200)
      if (random() < 0.3) await advanceClock(one, '1m')
    }
    await advanceClock(one, '2m')
    expect(await readPurchase(one), order.join()).toMatchObject({ status: 'canceled' })
    expect(await pendingEvents(shop)).toEqual([])
  }
})

test('two paywalls of one account each store only what they have sold', async () => {
  const shop = await lagging(20)
  const one = await buyer(shop)
  const [webhook] = await heldWebhooks(shop, async () => shop.there.renew(await getProcessorId(one)))
  const count = async () => (await shop.world.database.query('select from processor_events')).rowCount
  const before = await count()
  const elsewhere = shopAt(shop.world, shop.neighbour, shop.paywall)
  const { headers } = await signedBy(elsewhere, webhook!)
  expect((await sendWebhook(elsewhere, webhook!, { headers })).status).toBe(200)
  await advanceClock({ ...one, shop: elsewhere }, '12m')
  expect(await pendingEvents(shop)).toEqual([])
  expect(await count()).toBe(before)
})

const signedBy = async ({ driver, paywall }: Shop, webhook: Parameters<Shop['driver']['sign']>[0]) => ({
  headers: driver.sign(webhook, paywall.processor.credentials as never),
})
