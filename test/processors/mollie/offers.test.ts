import { afterEach, expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  cancelThroughApi,
  getProcessorId,
  newEvents,
  readPurchase,
  readTokens,
} from '../../conformance/buyer.ts'
import { getProcessor, SHOP_NAMES } from '../../conformance/drivers/shop-names.ts'
import { paymentEvents } from '../../conformance/money.ts'
import { useShops } from '../../conformance/shop.ts'
import { call } from '../../support/call.ts'
import { getPriceId } from '../../support/checkout.ts'

// Offers at Mollie through the API, where it differs from the other processors: this service reduces what is charged.

const OFFERS = [
  { id: 'twice', title: 'Twice', discount: { percent: 50, periods: 2 }, prices: ['monthly'] },
  { id: 'forever', title: 'For ever', discount: { percent: 50, periods: 'forever' }, prices: ['monthly'] },
]

const getShop = useShops(1, (sold, _, acquiring) => (acquiring === 'mollie' ? { ...sold, offers: OFFERS } : sold))
const SHOPS = SHOP_NAMES.filter((name) => getProcessor(name).acquiring === 'mollie')

afterEach(async () => {
  const { mollie } = getShop('mollie').world
  mollie.onCall = undefined
  await mollie.sendHeldWebhooks()
})

const buyWith = (offer: string, name = SHOPS[0]!) => buy(getShop(name), 'monthly', { body: { offer } })

/** The amounts of all payments of a buyer's purchase at Mollie, oldest first. */
async function charges({ shop: { world }, userId }: Buyer): Promise<unknown[]> {
  const belongs = (own: object) => JSON.stringify(own).includes(userId)
  const payments = [...world.mollie.records.payments.values()].filter(({ own }) => belongs(own))
  return payments.filter(({ status }) => status === 'paid').map(({ amount }) => amount)
}

test.each(SHOPS)('at %s an offer for two periods ends in time, although no webhook arrives', async (name) => {
  const buyer = await buyWith('twice', name)
  buyer.shop.emulator.holdWebhooks()
  await buyer.shop.world.clock.advance(buyer.shop.paywall.id, '70d')
  expect(await charges(buyer)).toEqual([499, 499, 999])
  await buyer.shop.emulator.sendHeldWebhooks(() => [])
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999, status: 'active' })
  expect(await readTokens(buyer)).toBe(300)
  expect((await paymentEvents(buyer)).map(({ amount, discount }) => [amount, discount])).toEqual([
    [499, 500],
    [499, 500],
    [999, 0],
  ])
})

test('an offer that cannot be ended at once is ended before the next charge', async () => {
  const buyer = await buyWith('twice')
  const { world, paywall } = buyer.shop
  let lost = 0
  world.mollie.onCall = async ({ method }, run) => {
    if (method !== 'PATCH') return run()
    lost += 1
    throw new DroppedCall()
  }
  await world.clock.advance(paywall.id, '33d')
  expect(lost).toBeGreaterThan(0)
  // What was paid is known meanwhile.
  expect(await readTokens(buyer)).toBe(200)
  world.mollie.onCall = undefined
  await world.clock.advance(paywall.id, '33d')
  expect(await charges(buyer)).toEqual([499, 499, 999])
})

test('while Mollie refuses to end an offer, what is paid is stored all the same', async () => {
  const buyer = await buyWith('twice')
  const { world, paywall } = buyer.shop
  const headers = { 'Content-Type': 'application/hal+json' }
  const refusal = { status: 422, headers, body: '{"status":422,"title":"Unprocessable Entity","field":"amount"}' }
  world.mollie.onCall = async ({ method }, run) => (method === 'PATCH' ? refusal : run())
  await world.clock.advance(paywall.id, '33d')
  expect(await readTokens(buyer)).toBe(200)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999, status: 'active' })
  world.mollie.onCall = undefined
  await world.clock.advance(paywall.id, '33d')
  expect(await charges(buyer)).toEqual([499, 499, 999])
})

test('a change of plan credits what was paid, and the new plan is charged at its price', async () => {
  const buyer = await buyWith('forever')
  const { world, paywall, key } = buyer.shop
  const path = `/api/v1/paywall/${paywall.id}/change-plan`
  const body = { userId: buyer.userId, priceId: getPriceId(paywall, 'plus') }
  expect(await call(world, path, { key, body: { ...body, preview: true } })).toMatchObject({
    status: 200,
    body: { due_now: { amount: 1500 }, credit: { amount: 499 }, next: { amount: 1999 } },
  })
  expect(await call(world, path, { key, body })).toMatchObject({ status: 200 })
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', unit_amount: 1999 })
  await advanceClock(buyer, '35d')
  expect(await charges(buyer)).toEqual([499, 1500, 1999])
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', unit_amount: 1999, status: 'active' })
})

test('a cancelled subscription with an offer keeps its price and the paid period', async () => {
  const buyer = await buyWith('forever')
  const { current_period_end: end } = (await readPurchase(buyer))!
  await cancelThroughApi(buyer)
  expect(await readPurchase(buyer)).toMatchObject({
    price_slug: 'monthly',
    unit_amount: 999,
    current_period_end: end,
    cancel_at_period_end: true,
  })
  await advanceClock(buyer, '35d')
  expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled', unit_amount: 999 })
  expect(await charges(buyer)).toEqual([499])
  expect(await getProcessorId(buyer)).toMatch(/^tr_/)
})
