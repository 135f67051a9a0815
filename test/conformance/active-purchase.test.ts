import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { call } from '../support/call.ts'
import {
  type Buyer,
  buy,
  decline,
  happens,
  hears,
  open,
  order,
  passes,
  pay,
  periodEnds,
  pressAndReturn,
  purchaseOf,
  stateOf,
  tokensOf,
} from './buyer.ts'
import { keepsUnpaid, leaveUnpaid, pause, pauses, sellsUnpaid } from './drivers/standstill.ts'
import { useShops } from './shop.ts'

// Who is not sold another subscription, and who gets into the portal: whoever has one that has not ended.

const shopOf = useShops()

/** What an order of each price is answered that gives access, and whether a portal opens. */
async function answersTo(buyer: Buyer) {
  const { shop, email } = buyer
  const orders = [await order(shop, 'monthly', { email }), await order(shop, 'lifetime', { email })]
  const path = `/api/v1/paywall/${shop.paywall.id}/get-customer-portal`
  const portal = await call(shop.world, path, { key: shop.key, body: { email } })
  return [...orders, portal]
}

async function expectInTheWay(buyer: Buyer, status: string): Promise<void> {
  const { id, status: stored } = (await purchaseOf(buyer))!
  expect(stored).toBe(status)
  const refused = { status: 409, body: { error: 'active_purchase', hasActivePurchase: true, purchaseId: id, status } }
  const noPortal = { status: 403, body: { error: 'portal_unavailable', isTest: '1' } }
  const portal = buyer.shop.abilities.portal ? { status: 200 } : noPortal
  expect(await answersTo(buyer)).toMatchObject([refused, refused, portal])
}

async function expectFree(buyer: Buyer): Promise<void> {
  expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 403 }])
}

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('a subscription is in the way while it is active and while it is to end, and not once it has ended', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await expectInTheWay(buyer, 'active')
    await happens(buyer, shop.there.cancel)
    if (!shop.abilities.tellsOfCancellations) await passes(buyer, '8d')
    expect(await purchaseOf(buyer)).toMatchObject({ cancel_at_period_end: true })
    await expectInTheWay(buyer, 'active')
    await periodEnds(buyer)
    await expectFree(buyer)
  })

  test('a subscription is in the way on trial', async () => {
    await expectInTheWay(await buy(shopOf(acquiring), 'yearly'), 'trialing')
  })

  test('a subscription that is past due is in the way, also when its access is over', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.failCharge)
    await decline(buyer, true)
    await expectInTheWay(buyer, 'past_due')
    await passes(buyer, '8d')
    expect(await stateOf(buyer)).toMatchObject({ paid: false })
    await expectInTheWay(buyer, 'past_due')
  })

  test('a subscription is in the way while it is paused', async () => {
    const shop = shopOf(acquiring)
    if (!pauses(acquiring)) return
    const buyer = await buy(shop)
    await happens(buyer, (id) => pause(shop, id))
    await expectInTheWay(buyer, 'paused')
  })

  test('a subscription is in the way while it is unpaid', async () => {
    const shop = shopOf(acquiring)
    if (!keepsUnpaid(acquiring)) return
    const buyer = await buy(shop)
    await happens(buyer, (id) => leaveUnpaid(shop, id))
    await expectInTheWay(buyer, 'past_due')
  })

  test('a subscription is in the way while its first money is on its way, and has no portal yet', async () => {
    const buyer = await open(shopOf(acquiring))
    await pressAndReturn(buyer, 'later')
    await hears(buyer)
    const { id } = (await purchaseOf(buyer))!
    const refused = { status: 409, body: { purchaseId: id, status: 'pending' } }
    expect(await answersTo(buyer)).toMatchObject([refused, refused, { status: 403 }])
  })

  test('what was bought once is in the way of itself alone, until it is paid back', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop, 'lifetime')
    const { id } = (await purchaseOf(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'active' } }
    expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    await happens(buyer, shop.there.refund)
    await expectFree(buyer)
  })

  test('what was bought once is in the way of itself while its money is on its way, and not once that has failed', async () => {
    const shop = shopOf(acquiring)
    const buyer = await open(shop, 'lifetime')
    await pressAndReturn(buyer, 'later')
    await hears(buyer)
    expect((await purchaseOf(buyer))?.status).toBe(sellsUnpaid(acquiring) ? 'pending' : undefined)
    if (!sellsUnpaid(acquiring)) return
    const { id } = (await purchaseOf(buyer))!
    const refused = { status: 409, body: { hasActivePurchase: true, purchaseId: id, status: 'pending' } }
    expect(await answersTo(buyer)).toMatchObject([{ status: 200 }, refused, { status: 403 }])
    await happens(buyer, (id) => shop.there.resolve(true, id))
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'canceled' })
    await expectFree(buyer)
  })

  test('a pack makes nobody paid, and is sold to subscribers and others as often as they like', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop, 'pack')
    expect(await stateOf(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'active', access_until: null }] })
    await expectFree(buyer)
    for (const slug of ['monthly', 'pack'] as const) {
      await pay(await open(shop, slug, { email: buyer.email }))
      await hears(buyer)
    }
    expect(await stateOf(buyer)).toMatchObject({ paid: true, purchases: [{}, { cancel_at_period_end: false }, {}] })
    expect(await tokensOf(buyer)).toBe(200)
  })
})
