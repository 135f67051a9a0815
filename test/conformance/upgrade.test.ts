import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { causeAtProcessor, readPurchase } from './buyer.ts'
import { keepsUnpaid, leaveUnpaid, pause, pauses } from './drivers/pausing.ts'
import { useShops } from './shop.ts'
import { bought, charges, expectNoMoreCharges, findPurchase, getOwed, upgrade } from './upgrading.ts'

// A buyer is never charged for two subscriptions: the older subscription when its replacement is paid. Past due ones are in
// upgrade-past-due.test.ts.

const getShop = useShops()

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a paid subscription ends with its period', async () => {
    const { buyer, purchaseId } = await bought(getShop(acquiring))
    const { current_period_end: end } = await findPurchase(buyer, purchaseId)
    expect(await upgrade(buyer)).toEqual([
      'checkout.completed',
      'payment.succeeded 999',
      'subscription.cancel_scheduled',
      'subscription.created',
    ])
    const newer = (await readPurchase(buyer))!
    expect(newer).toMatchObject({ status: 'active', cancel_at_period_end: false })
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: end,
      access_until: end,
    })
    await expectNoMoreCharges(buyer, purchaseId, 1)
    expect((await charges(buyer))[newer.id]).toBe(2)
    expect(await findPurchase(buyer, newer.id)).toMatchObject({ status: 'active', cancel_at_period_end: false })
  })

  test('a trialing subscription ends without a charge', async () => {
    const { buyer, purchaseId } = await bought(getShop(acquiring), 'yearly')
    await upgrade(buyer)
    await expectNoMoreCharges(buyer, purchaseId, 0)
  })

  test('a cancelled subscription ends as scheduled', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId } = await bought(shop)
    await causeAtProcessor(buyer, shop.account.cancel)
    await upgrade(buyer)
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  })
})

test.each(PROCESSOR_NAMES.filter(pauses))('%s: a paused subscription ends', async (acquiring) => {
  const shop = getShop(acquiring)
  const { buyer, purchaseId } = await bought(shop)
  await causeAtProcessor(buyer, (id) => pause(shop, id))
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'paused' })
  await upgrade(buyer)
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
  await expectNoMoreCharges(buyer, purchaseId, 1)
})

test.each(PROCESSOR_NAMES.filter(keepsUnpaid))(
  '%s: an unpaid subscription ends, and its open invoices are voided',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await causeAtProcessor(buyer, (id) => leaveUnpaid(shop, id))
    await upgrade(buyer)
    expect(getOwed(shop, processorId)).toEqual([])
    await expectNoMoreCharges(buyer, purchaseId, 1)
  },
)
