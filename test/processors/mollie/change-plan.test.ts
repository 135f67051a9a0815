import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import { Changed } from '../../../functions/change-plan/contract.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  cancelThroughApi,
  decline,
  getProcessorId,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from '../../conformance/buyer.ts'
import { getProcessor, SHOP_NAMES, type ShopName } from '../../conformance/drivers/shop-names.ts'
import { paymentEvents } from '../../conformance/money.ts'
import { useShops } from '../../conformance/shop.ts'
import { call } from '../../support/call.ts'
import { getPriceId } from '../../support/checkout.ts'

// Changes of plan at Mollie through the API, where it differs from the other processors.

const getShop = useShops()

afterEach(() => {
  getShop('mollie').world.mollie.slowCharges = false
})

function changePlan({ shop: { world, paywall, key }, userId }: Buyer, slug: string, body = {}, headers = {}) {
  const path = `/api/v1/paywall/${paywall.id}/change-plan`
  return call(world, path, { key, headers, body: { userId, priceId: getPriceId(paywall, slug), ...body } })
}

/** A buyer of the monthly plan whose difference is pending, such as by direct debit. */
async function buyAndUpgradeSlowly(name: ShopName = 'mollie') {
  const shop = getShop(name)
  const buyer = await buy(shop)
  shop.world.mollie.slowCharges = true
  const { status, body } = await changePlan(buyer, 'plus')
  expect({ status, body }).toMatchObject({ status: 200, body: { checkoutUrl: null, pending: true } })
  return buyer
}

const SOLD = { type: 'payment.succeeded', amount: 999, price_slug: 'monthly' }

test('a change at once that would leave credit is refused with the name of the processor', async () => {
  const buyer = await buy(getShop('mollie'), 'plus')
  const refused = { status: 403, body: { error: 'plan_change_unavailable', acquiring: 'mollie' } }
  expect(await changePlan(buyer, 'monthly', { when: 'now', preview: true })).toMatchObject(refused)
  expect(await changePlan(buyer, 'monthly', { when: 'now' })).toMatchObject(refused)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', scheduled_change: null })
  expect(await changePlan(buyer, 'monthly')).toMatchObject({ status: 200, body: { pending: false } })
})

const SHOPS = SHOP_NAMES.filter((name) => getProcessor(name).acquiring === 'mollie')

test.each(SHOPS)('at %s the plan, its features and its tokens follow once a slow difference is paid', async (name) => {
  const buyer = await buyAndUpgradeSlowly(name)
  await newEvents(buyer)
  expect(await readState(buyer)).toMatchObject({ features: ['export'], purchases: [{ price_slug: 'monthly' }] })
  const other = await changePlan(buyer, 'yearly', { when: 'now' })
  expect(other).toMatchObject({ status: 409, body: { error: 'plan_change_in_progress' } })
  expect(other.headers['retry-after']).toBe('3600')
  expect(await readTokens(buyer)).toBe(100)
  expect(await advanceClock(buyer, '2d')).toContain('subscription.plan_changed')
  expect(await readState(buyer)).toMatchObject({ features: ['api', 'export'], purchases: [{ price_slug: 'plus' }] })
  expect(await readTokens(buyer)).toBe(300)
  expect(await paymentEvents(buyer)).toMatchObject([SOLD, { ...SOLD, amount: 1000, price_slug: 'plus' }])
})

test('a retry of a change whose difference is pending charges nothing more', async () => {
  const buyer = await buy(getShop('mollie'))
  const { mollie } = buyer.shop.world
  mollie.slowCharges = true
  const headers = { 'idempotency-key': randomUUID() }
  const replies = [await changePlan(buyer, 'plus', {}, headers), await changePlan(buyer, 'plus', {}, headers)]
  expect(replies.map(({ body }) => Changed.parse(body).pending)).toEqual([true, true])
  expect(await changePlan(buyer, 'plus')).toMatchObject({ status: 200, body: { pending: true } })
  expect([...mollie.records.payments.values()].filter(({ status }) => status === 'pending')).toHaveLength(1)
})

test('a retry after a lost response gets the same page, even if the paywall has another language by then', async () => {
  const buyer = await buy(getShop('mollie'))
  const { world, paywall } = buyer.shop
  await decline(buyer, true)
  const headers = { 'idempotency-key': randomUUID() }
  world.mollie.onCall = async (_, run) => {
    const reply = await run()
    if (JSON.parse(reply.body).status === 'open') throw new DroppedCall()
    return reply
  }
  expect(await changePlan(buyer, 'plus', {}, headers)).toMatchObject({ status: 502 })
  world.mollie.onCall = undefined
  const pages = () => [...world.mollie.records.payments.values()].filter(({ status }) => status === 'open')
  expect(pages()).toHaveLength(1)
  const file = structuredClone(world.file)
  const { settings } = file.paywalls.find(({ id }) => id === paywall.id)!
  settings.checkout = { locale: 'de-DE' }
  await world.apply(file)
  expect(await changePlan(buyer, 'plus', {}, headers)).toMatchObject({ status: 200, body: { pending: false } })
  expect(pages()).toHaveLength(1)
})

test('a difference that is paid after a cancellation is returned, and takes no tokens back', async () => {
  const buyer = await buyAndUpgradeSlowly()
  expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
  await advanceClock(buyer, '2d')
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', cancel_at_period_end: true })
  expect(await paymentEvents(buyer)).toMatchObject([
    SOLD,
    { ...SOLD, amount: 1000 },
    { ...SOLD, type: 'payment.refunded', amount: 1000 },
  ])
  expect(await readTokens(buyer)).toBe(100)
  const { mollie } = buyer.shop.world
  const first = await getProcessorId(buyer)
  expect([...mollie.records.refunds.values()].filter(({ payment }) => payment === first)).toEqual([])
})
