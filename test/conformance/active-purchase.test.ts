import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call } from '../support/call.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  decline,
  getProcessorId,
  newEvents,
  open,
  order,
  pay,
  pressAndReturn,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { keepsUnpaid, leaveUnpaid, pause, pauses, sellsUnpaid } from './drivers/pausing.ts'
import { type Shop, useShops } from './shop.ts'

// Users with a subscription that has not ended cannot buy another one, and can open the portal.

const getShop = useShops()

/** The status of an order of each price that gives access, and whether a portal opens. */
async function answersTo(buyer: Buyer) {
  const { shop, email } = buyer
  const orders = [await order(shop, 'monthly', { email }), await order(shop, 'lifetime', { email })]
  const path = `/api/v1/paywall/${shop.paywall.id}/get-customer-portal`
  const portal = await call(shop.world, path, { key: shop.key, body: { email } })
  return [...orders, portal]
}

async function expectInTheWay(buyer: Buyer, status: string): Promise<void> {
  const { id, status: stored } = (await readPurchase(buyer))!
  expect(stored).toBe(status)
  const refused = { status: 409, body: { error: 'active_purchase', hasActivePurchase: true, purchaseId: id, status } }
  const noPortal = { status: 403, body: { error: 'portal_unavailable', isTest: '1' } }
  const portal = buyer.shop.capabilities.portal ? { status: 200 } : noPortal
  expect(await answersTo(buyer)).toMatchObject([refused, refused, portal])
}

async function expectFree(buyer: Buyer): Promise<void> {
  expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 403 }])
}

interface Ending extends Buyer {
  end: number
}

/** A buyer whose subscription is to end with its period. */
async function toEndSoon(shop: Shop): Promise<Ending> {
  const buyer = await buy(shop)
  await causeAtProcessor(buyer, shop.there.cancel)
  if (!shop.capabilities.sendsCancellationWebhook) await advanceClock(buyer, '8d')
  const { cancel_at_period_end: isToEnd, current_period_end: end } = (await readPurchase(buyer))!
  expect(isToEnd).toBe(true)
  return { ...buyer, end: Date.parse(end!) }
}

/** Moves the clock to some seconds after the scheduled end. */
const endPassed = ({ shop: { world, paywall }, end }: Ending, seconds: number) =>
  world.clock.moveTo(paywall.id, new Date(end + seconds * 1000))

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('an active subscription is in the way, also when it is to end, and not once it has ended', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await expectInTheWay(buyer, 'active')
    await causeAtProcessor(buyer, shop.there.cancel)
    if (!shop.capabilities.sendsCancellationWebhook) await advanceClock(buyer, '8d')
    expect(await readPurchase(buyer)).toMatchObject({ cancel_at_period_end: true })
    await expectInTheWay(buyer, 'active')
    await advancePastPeriodEnd(buyer)
    await expectFree(buyer)
  })

  test('a scheduled end that may have been undone counts once a read from after it shows it', async () => {
    const shop = getShop(acquiring)
    const buyer = await toEndSoon(shop)
    shop.emulator.holdWebhooks()
    await endPassed(buyer, 30)
    const answer = shop.capabilities.supportsUncancel ? { status: 409 } : { status: 200 }
    expect(await order(shop, 'monthly', buyer)).toMatchObject(answer)
    await endPassed(buyer, 150)
    expect(await order(shop, 'monthly', buyer)).toMatchObject({ status: 200 })
    await shop.emulator.sendHeldWebhooks()
  })

  test('a scheduled end that was undone just before, unknown to us, does not let another subscription be sold', async () => {
    const shop = getShop(acquiring)
    if (!shop.there.undo) return
    const buyer = await toEndSoon(shop)
    await endPassed(buyer, -600)
    shop.emulator.holdWebhooks()
    await shop.there.undo(await getProcessorId(buyer))
    for (const seconds of [30, 150]) {
      await endPassed(buyer, seconds)
      expect(await order(shop, 'monthly', buyer)).toMatchObject({ status: 409, body: { status: 'active' } })
    }
    await shop.emulator.sendHeldWebhooks()
    await newEvents(buyer)
    await expectInTheWay(buyer, 'active')
  })

  test('a trialing subscription is in the way', async () => {
    await expectInTheWay(await buy(getShop(acquiring), 'yearly'), 'trialing')
  })

  test('a past due subscription is in the way, also when its access is over', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.there.failCharge)
    await decline(buyer, true)
    await expectInTheWay(buyer, 'past_due')
    await advanceClock(buyer, '8d')
    expect(await readState(buyer)).toMatchObject({ paid: false })
    await expectInTheWay(buyer, 'past_due')
  })

  test('a paused subscription is in the way', async () => {
    const shop = getShop(acquiring)
    if (!pauses(acquiring)) return
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => pause(shop, id))
    await expectInTheWay(buyer, 'paused')
  })

  test('an unpaid subscription is in the way', async () => {
    const shop = getShop(acquiring)
    if (!keepsUnpaid(acquiring)) return
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => leaveUnpaid(shop, id))
    await expectInTheWay(buyer, 'past_due')
  })

  test('a subscription whose first payment is processing is in the way, and has no portal yet', async () => {
    const buyer = await open(getShop(acquiring))
    await pressAndReturn(buyer, 'later')
    await newEvents(buyer)
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { purchaseId: id, status: 'pending' } }
    expect(await answersTo(buyer)).toMatchObject([refused, refused, { status: 403 }])
  })

  test('a one-time purchase is in the way of the same price only, until it is refunded', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'active' } }
    expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    await causeAtProcessor(buyer, shop.there.refund)
    await expectFree(buyer)
  })

  test('a one-time purchase whose payment is processing is in the way of the same price, and not once the payment has failed', async () => {
    const shop = getShop(acquiring)
    const buyer = await open(shop, 'lifetime')
    await pressAndReturn(buyer, 'later')
    await newEvents(buyer)
    expect((await readPurchase(buyer))?.status).toBe(sellsUnpaid(acquiring) ? 'pending' : undefined)
    if (!sellsUnpaid(acquiring)) return
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'pending' } }
    expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    await causeAtProcessor(buyer, (id) => shop.there.resolve(true, id))
    expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled' })
    await expectFree(buyer)
  })

  test('a pack gives nobody access, and is sold to subscribers and others as often as they like', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'pack')
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'active', access_until: null }] })
    await expectFree(buyer)
    for (const slug of ['monthly', 'pack'] as const) {
      await pay(await open(shop, slug, { email: buyer.email }))
      await newEvents(buyer)
    }
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{}, { cancel_at_period_end: false }, {}] })
    expect(await readTokens(buyer)).toBe(200)
  })
})
