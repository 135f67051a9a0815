import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
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

// Users whose subscription has not ended get 409 active_purchase, and can open the portal.

const getShop = useShops()

const UNCANCELS = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsUncancel)

/** The replies to an order of each price that gives access, and to opening the portal. */
async function tryOrdersAndPortal(buyer: Buyer) {
  const { shop, email } = buyer
  const orders = [await order(shop, 'monthly', { email }), await order(shop, 'lifetime', { email })]
  const path = `/api/v1/paywall/${shop.paywall.id}/get-customer-portal`
  const portal = await call(shop.world, path, { key: shop.key, body: { email } })
  return [...orders, portal]
}

async function expectConflict(buyer: Buyer, status: string): Promise<void> {
  const { id, status: stored } = (await readPurchase(buyer))!
  expect(stored).toBe(status)
  const refused = { status: 409, body: { error: 'active_purchase', hasActivePurchase: true, purchaseId: id, status } }
  const noPortal = { status: 403, body: { error: 'portal_unavailable', isTest: '1' } }
  const portal = buyer.shop.capabilities.portal ? { status: 200 } : noPortal
  expect(await tryOrdersAndPortal(buyer)).toMatchObject([refused, refused, portal])
}

async function expectNoConflict(buyer: Buyer): Promise<void> {
  expect(await tryOrdersAndPortal(buyer)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 403 }])
}

interface CancelledBuyer extends Buyer {
  end: number
}

/** A buyer whose subscription is cancelled and ends with its period. */
async function buyAndCancel(shop: Shop): Promise<CancelledBuyer> {
  const buyer = await buy(shop)
  await causeAtProcessor(buyer, shop.account.cancel)
  if (!shop.capabilities.sendsCancellationWebhook) await advanceClock(buyer, '8d')
  const { cancel_at_period_end: isCancelled, current_period_end: end } = (await readPurchase(buyer))!
  expect(isCancelled).toBe(true)
  return { ...buyer, end: Date.parse(end!) }
}

/** Moves the clock to some seconds after the scheduled end, or before it if negative. */
const moveClockToEnd = ({ shop: { world, paywall }, end }: CancelledBuyer, seconds: number) =>
  world.clock.moveTo(paywall.id, new Date(end + seconds * 1000))

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('start-checkout returns 409 active_purchase for an active subscription, even if it is cancelled, until it has ended', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await expectConflict(buyer, 'active')
    await causeAtProcessor(buyer, shop.account.cancel)
    if (!shop.capabilities.sendsCancellationWebhook) await advanceClock(buyer, '8d')
    expect(await readPurchase(buyer)).toMatchObject({ cancel_at_period_end: true })
    await expectConflict(buyer, 'active')
    await advancePastPeriodEnd(buyer)
    await expectNoConflict(buyer)
  })

  test('a scheduled end that can be undone allows a new purchase only after a later read confirms it', async () => {
    const shop = getShop(acquiring)
    const buyer = await buyAndCancel(shop)
    shop.emulator.holdWebhooks()
    await moveClockToEnd(buyer, 30)
    const expected = shop.capabilities.supportsUncancel ? { status: 409 } : { status: 200 }
    expect(await order(shop, 'monthly', buyer)).toMatchObject(expected)
    await moveClockToEnd(buyer, 150)
    expect(await order(shop, 'monthly', buyer)).toMatchObject({ status: 200 })
    await shop.emulator.sendHeldWebhooks()
  })

  test('start-checkout returns 409 active_purchase for a trialing subscription', async () => {
    await expectConflict(await buy(getShop(acquiring), 'yearly'), 'trialing')
  })

  test('start-checkout returns 409 active_purchase for a past due subscription, even after its access has ended', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    await decline(buyer, true)
    await expectConflict(buyer, 'past_due')
    await advanceClock(buyer, '8d')
    expect(await readState(buyer)).toMatchObject({ paid: false })
    await expectConflict(buyer, 'past_due')
  })

  test('start-checkout returns 409 active_purchase, and there is no portal, while the first payment is processing', async () => {
    const buyer = await open(getShop(acquiring))
    await pressAndReturn(buyer, 'later')
    await newEvents(buyer)
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { purchaseId: id, status: 'pending' } }
    expect(await tryOrdersAndPortal(buyer)).toMatchObject([refused, refused, { status: 403 }])
  })

  test('start-checkout returns 409 active_purchase for the price of a one-time purchase only, until it is refunded', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'active' } }
    expect(await tryOrdersAndPortal(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    await causeAtProcessor(buyer, shop.account.refund)
    await expectNoConflict(buyer)
  })

  test('a pack gives no access, and can be bought repeatedly, also by subscribers', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'pack')
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'active', access_until: null }] })
    await expectNoConflict(buyer)
    for (const slug of ['monthly', 'pack'] as const) {
      await advanceClock(buyer, '1m')
      await pay(await open(shop, slug, { email: buyer.email }))
      await newEvents(buyer)
    }
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{}, { cancel_at_period_end: false }, {}] })
    expect(await readTokens(buyer)).toBe(200)
  })
})

test.each(UNCANCELS)(
  '%s: a scheduled end that was undone at the processor without a webhook does not allow a new purchase',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buyAndCancel(shop)
    await moveClockToEnd(buyer, -600)
    shop.emulator.holdWebhooks()
    await shop.account.undo!(await getProcessorId(buyer))
    for (const seconds of [30, 150]) {
      await moveClockToEnd(buyer, seconds)
      expect(await order(shop, 'monthly', buyer)).toMatchObject({ status: 409, body: { status: 'active' } })
    }
    await shop.emulator.sendHeldWebhooks()
    await newEvents(buyer)
    await expectConflict(buyer, 'active')
  },
)

test.each(PROCESSOR_NAMES.filter(pauses))(
  '%s: start-checkout returns 409 active_purchase for a paused subscription',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => pause(shop, id))
    await expectConflict(buyer, 'paused')
  },
)

test.each(PROCESSOR_NAMES.filter(keepsUnpaid))(
  '%s: start-checkout returns 409 active_purchase for an unpaid subscription',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => leaveUnpaid(shop, id))
    await expectConflict(buyer, 'past_due')
  },
)

test.each(PROCESSOR_NAMES.filter(sellsUnpaid))(
  '%s: start-checkout returns 409 active_purchase for the price of a one-time purchase while its payment is processing',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await open(shop, 'lifetime')
    await pressAndReturn(buyer, 'later')
    await newEvents(buyer)
    const { id } = (await readPurchase(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'pending' } }
    expect(await tryOrdersAndPortal(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    expect(await causeAtProcessor(buyer, (id) => shop.account.resolve(true, id))).toEqual(['payment.failed 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    await expectNoConflict(buyer)
  },
)

test.each(PROCESSOR_NAMES.filter((name) => !sellsUnpaid(name)))(
  '%s: there is no one-time purchase while its payment is processing',
  async (acquiring) => {
    const buyer = await open(getShop(acquiring), 'lifetime')
    await pressAndReturn(buyer, 'later')
    await newEvents(buyer)
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [] })
  },
)
