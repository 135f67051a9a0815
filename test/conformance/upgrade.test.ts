import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { causeAtProcessor, readPurchase } from './buyer.ts'
import { keepsUnpaid, leaveUnpaid, pause, pauses } from './drivers/pausing.ts'
import { useShops } from './shop.ts'
import { bought, charges, expectNoMoreCharges, getOwed, purchaseBy, upgrade } from './upgrading.ts'

// One buyer is charged once: what happens to the older subscription when its replacement is paid. Past due ones are in
// upgrade-past-due.test.ts.

const getShop = useShops()

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('paid up: it ends with its period, and the buyer is never charged for both', async () => {
    const { buyer, here } = await bought(getShop(acquiring))
    const { current_period_end: end } = await purchaseBy(buyer, here)
    expect(await upgrade(buyer)).toEqual([
      'checkout.completed',
      'payment.succeeded 999',
      'subscription.cancel_scheduled',
      'subscription.created',
    ])
    const newer = (await readPurchase(buyer))!
    expect(newer).toMatchObject({ status: 'active', cancel_at_period_end: false })
    expect(await purchaseBy(buyer, here)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: end,
      access_until: end,
    })
    await expectNoMoreCharges(buyer, here, 1)
    expect((await charges(buyer))[newer.id]).toBe(2)
    expect(await purchaseBy(buyer, newer.id)).toMatchObject({ status: 'active', cancel_at_period_end: false })
  })

  test('on trial: it ends without a charge', async () => {
    const { buyer, here } = await bought(getShop(acquiring), 'yearly')
    await upgrade(buyer)
    await expectNoMoreCharges(buyer, here, 0)
  })

  test('paused: it ends, and cannot be resumed', async () => {
    if (!pauses(acquiring)) return
    const shop = getShop(acquiring)
    const { buyer, here } = await bought(shop)
    await causeAtProcessor(buyer, (id) => pause(shop, id))
    expect(await purchaseBy(buyer, here)).toMatchObject({ status: 'paused' })
    await upgrade(buyer)
    expect(await purchaseBy(buyer, here)).toMatchObject({ status: 'canceled' })
    await expectNoMoreCharges(buyer, here, 1)
  })

  test('unpaid: what it owes is void, and it ends', async () => {
    if (!keepsUnpaid(acquiring)) return
    const shop = getShop(acquiring)
    const { buyer, here, there } = await bought(shop)
    await causeAtProcessor(buyer, (id) => leaveUnpaid(shop, id))
    await upgrade(buyer)
    expect(getOwed(shop, there)).toEqual([])
    await expectNoMoreCharges(buyer, here, 1)
  })

  test('already cancelled: it ends as scheduled', async () => {
    const shop = getShop(acquiring)
    const { buyer, here } = await bought(shop)
    await causeAtProcessor(buyer, shop.there.cancel)
    await upgrade(buyer)
    expect(await purchaseBy(buyer, here)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  })
})
