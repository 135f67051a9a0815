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
import { findPurchase, replacing } from '../../conformance/upgrading.ts'
import { heldWebhooks, sendWebhook } from '../../conformance/webhook.ts'
import { press } from '../../support/checkout.ts'
import { permutations, seededRandom, shuffled } from '../../support/random.ts'
import { until } from '../../support/until.ts'

// Polar answers reads from a replica: a reply may be older than the webhook that caused the read.

const getShop = useShops()

const shopWithLag = async (seconds: number): Promise<Shop> => {
  const shop = getShop('polar')
  await shop.world.polar.setReplicaLag(shop.paywall.id, seconds)
  return shop
}

afterEach(async () => {
  const shop = await shopWithLag(0)
  shop.emulator.onCall = undefined
  await shop.emulator.sendHeldWebhooks()
})

const pendingEvents = async ({ world }: Shop) => (await world.database.query('select * from pending_events')).rows
const bought = ['checkout.completed', 'payment.succeeded 999', 'subscription.created']

/** A buyer who has bought while reads lag behind, with everything stored by now. */
async function buyWhileLagging(shop: Shop): Promise<Buyer> {
  const buyer = await open(shop)
  await pay(buyer)
  expect(await advanceClock(buyer, '1m')).toEqual(bought)
  await expectStoredAsAtProcessor(buyer)
  return buyer
}

test('a revoked subscription loses access within a minute of real time, without another webhook', async () => {
  const shop = await shopWithLag(1)
  const buyer = await buyWhileLagging(shop)
  await shop.emulator.drainWebhooks()
  const id = await getProcessorId(buyer)
  await shop.world.polar.end(id)
  await shop.emulator.drainWebhooks()
  expect(await pendingEvents(shop)).not.toEqual([])
  await until('the access is lost', async () => !(await readState(buyer)).paid, 20_000)
  expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled' })
  expect(await newEvents(buyer)).toEqual(['subscription.ended'])
})

test('a refunded one-time purchase is found as refunded within a minute', async () => {
  const shop = await shopWithLag(20)
  const buyer = await open(shop, 'lifetime')
  await pay(buyer)
  expect(await advanceClock(buyer, '1m')).toEqual(['checkout.completed', 'payment.succeeded 4900'])
  await shop.account.refund(await getProcessorId(buyer))
  await shop.emulator.drainWebhooks()
  expect(await readState(buyer)).toMatchObject({ paid: true })
  expect(await advanceClock(buyer, '1m')).toEqual(['payment.refunded 4900'])
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
})

test('a failed refund is found by reconcile without a webhook, since refunds are not read from a replica', async () => {
  const shop = await shopWithLag(0)
  const buyer = await buyWhileLagging(shop)
  const { id: refund } = (await shop.account.refund(await getProcessorId(buyer))) as { id: string }
  expect(await newEvents(buyer)).toContain('payment.refunded 999')
  await shopWithLag(86_400)
  shop.emulator.holdWebhooks()
  await shop.world.polar.resolveRefund(refund, { fail: true })
  await shop.emulator.sendHeldWebhooks(() => [])
  await reconcileAll(shop)
  expect(await newEvents(buyer)).toContain('payment.refund_failed 999')
})

type Change = ({ world, account }: Shop, id: string) => Promise<unknown>

test.each<[string, Change, Change]>([
  ['is paused', async () => undefined, ({ world }, id) => world.polar.pause(id)],
  [
    'is scheduled to end and past due',
    async ({ world }, id) => {
      await world.polar.rollOver(id)
      await world.polar.portalCancel(id)
    },
    ({ account }, id) => account.failCharge(id),
  ],
])('a subscription that %s when it is replaced ends at once, whatever the replica shows', async (_, before, after) => {
  const shop = await shopWithLag(0)
  const buyer = await buyWhileLagging(shop)
  const [{ id: purchaseId }, id] = [(await readPurchase(buyer))!, await getProcessorId(buyer)]
  await before(shop, id)
  await newEvents(buyer)
  const page = await open(shop, 'plus', replacing(buyer))
  shop.emulator.onCall = async ({ method, path }, run) => {
    if (method === 'PATCH' && path.endsWith(id)) {
      shop.emulator.onCall = undefined
      await shopWithLag(600)
      await after(shop, id)
    }
    return run()
  }
  await pay(page)
  await shop.emulator.drainWebhooks()
  expect(shop.account.sales().find(({ processorId }) => processorId === id)).toMatchObject({ status: 'canceled' })
  await shopWithLag(0)
  await advanceClock(buyer, '2m')
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
})

test('a browser that returns at once sees the thanks page, and the purchase is there within a minute', async () => {
  const shop = await shopWithLag(20)
  const buyer = await open(shop)
  await pay(buyer)
  expect((await readState(buyer)).purchases).toEqual([])
  expect(await advanceClock(buyer, '1m')).toEqual(bought)
  expect(await readTokens(buyer)).toBe(100)
})

test('a page that is read as paid before its order can be read is stored as sold within a minute', async () => {
  const shop = await shopWithLag(0)
  const buyer = await open(shop)
  const webhooks = await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay'))
  const completed = webhooks.findLast(({ body }) => JSON.parse(body).type === 'checkout.updated')!
  const body = JSON.stringify({ items: [], pagination: { total_count: 0, max_page: 0 } })
  shop.emulator.onCall = async ({ path }, run) =>
    path.startsWith('/v1/orders') ? { status: 200, headers: { 'content-type': 'application/json' }, body } : run()
  expect((await sendWebhook(shop, completed)).status).toBe(200)
  expect((await readState(buyer)).purchases).toEqual([])
  shop.emulator.onCall = undefined
  expect(await advanceClock(buyer, '1m')).toEqual([
    'checkout.completed',
    'payment.succeeded 999',
    'subscription.created',
  ])
  expect(await pendingEvents(shop)).toEqual([])
})

test('webhooks of a purchase and its end, in any order and with reads of any age, lead to the state at Polar', async () => {
  const shop = await shopWithLag(3)
  const random = seededRandom(18)
  const kinds = ['checkout.updated', 'subscription.created', 'order.paid', 'subscription.revoked']
  for (const order of shuffled(permutations(kinds), random).slice(0, 8)) {
    const buyer = await open(shop)
    const webhooks = await heldWebhooks(shop, async () => {
      await press(buyer.checkoutUrl, 'pay')
      const created = shop.world.polar.events.findLast(({ type }) => type === 'subscription.created')
      await shop.world.polar.end(String(Reflect.get(created!.data, 'id')))
    })
    const chosen = order.map((kind) => webhooks.find(({ body }) => JSON.parse(body).type === kind)!)
    for (const webhook of [...chosen, ...webhooks]) {
      expect((await sendWebhook(shop, webhook)).status).toBe(200)
      if (random() < 0.3) await advanceClock(buyer, '1m')
    }
    await advanceClock(buyer, '2m')
    expect(await readPurchase(buyer), order.join()).toMatchObject({ status: 'canceled' })
    expect(await pendingEvents(shop)).toEqual([])
  }
})

test('two paywalls of one account each store only what they have sold', async () => {
  const shop = await shopWithLag(20)
  const buyer = await buyWhileLagging(shop)
  const [webhook] = await heldWebhooks(shop, async () => shop.account.renew(await getProcessorId(buyer)))
  const count = async () => (await shop.world.database.query('select from processor_events')).rowCount
  const before = await count()
  const elsewhere = shopAt(shop.world, shop.neighbour, shop.paywall)
  const { headers } = await signedBy(elsewhere, webhook!)
  expect((await sendWebhook(elsewhere, webhook!, { headers })).status).toBe(200)
  await advanceClock({ ...buyer, shop: elsewhere }, '12m')
  expect(await pendingEvents(shop)).toEqual([])
  expect(await count()).toBe(before)
})

const signedBy = async ({ driver, paywall }: Shop, webhook: Parameters<Shop['driver']['sign']>[0]) => ({
  headers: driver.sign(webhook, paywall.processor.credentials as never),
})
