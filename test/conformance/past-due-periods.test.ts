import { describe, expect, test } from 'vitest'
import {
  advanceClock,
  type Buyer,
  buy,
  decline,
  expectStoredAsAtProcessor,
  getProcessorId,
  getSale,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import {
  INVOICE_WHILE_UNPAID,
  invoicesWhileUnpaid,
  recoversWithLatestPayment,
  retryForThreeWeeks,
} from './drivers/dunning.ts'
import { type Shop, useShops } from './shop.ts'
import { charges, expectNoMoreCharges, findPurchase, getOwed, upgrade } from './upgrading.ts'

// A weekly price: the next period begins while the previous charge is still being retried, so a subscription owes several periods at once.

const getShop = useShops(2, (sold, _, acquiring) => {
  const [first, ...others] = sold.prices
  return invoicesWhileUnpaid(acquiring) ? { ...sold, prices: [{ ...first, interval: 'week' }, ...others] } : sold
})

/** A buyer with two unpaid weeks; the second one began a day ago. */
async function buyAndOweTwoWeeks(shop: Shop): Promise<Buyer> {
  await retryForThreeWeeks(shop)
  const buyer = await buy(shop, 'monthly')
  await decline(buyer, true)
  await advanceClock(buyer, '8d')
  expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(1)
  expect(await advanceClock(buyer, '7d')).not.toContain('subscription.ended')
  expect(await readState(buyer)).toMatchObject({ purchases: [{ status: 'past_due' }] })
  expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(2)
  return buyer
}

describe.each(INVOICE_WHILE_UNPAID)('%s', (acquiring) => {
  test('each of two unpaid weeks is charged once and credits its tokens, which a refund of that charge removes', async () => {
    const shop = getShop(acquiring)
    const buyer = await buyAndOweTwoWeeks(shop)
    const { id } = (await readPurchase(buyer))!
    const owed = getOwed(shop, await getProcessorId(buyer)).map(({ payment }) => payment ?? '')
    expect([await readTokens(buyer), (await charges(buyer))[id]]).toEqual([100, 1])
    await decline(buyer, false)
    // Meanwhile a third week begins, and is paid at once.
    const received = await advanceClock(buyer, '8d')
    expect(received.filter((type) => type === 'payment.succeeded 999')).toHaveLength(3)
    expect(received).toContain('subscription.recovered')
    expect(getOwed(shop, await getProcessorId(buyer))).toEqual([])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect((await getSale(buyer)).paidPeriods).toHaveLength(4)
    expect([await readTokens(buyer), (await charges(buyer))[id]]).toEqual([400, 4])
    await expectStoredAsAtProcessor(buyer)
    for (const [index, payment] of [...owed, (await getSale(buyer)).paid.at(-1)!].entries()) {
      await shop.world[acquiring].refund(payment)
      await newEvents(buyer)
      expect(await readTokens(buyer)).toBe(300 - index * 100)
    }
  })

  test('a subscription is past due until the processor considers it paid: after the latest payment, or after all', async () => {
    const shop = getShop(acquiring)
    const buyer = await buyAndOweTwoWeeks(shop)
    await decline(buyer, false)
    await shop.account.recover(await getProcessorId(buyer))
    await advanceClock(buyer, '1m')
    expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(1)
    expect(await readState(buyer)).toMatchObject({
      purchases: [{ status: recoversWithLatestPayment(acquiring) ? 'active' : 'past_due' }],
    })
    await expectStoredAsAtProcessor(buyer)
  })

  test('a replaced subscription ends, and its unpaid weeks are voided', async () => {
    const shop = getShop(acquiring)
    const buyer = await buyAndOweTwoWeeks(shop)
    const [purchaseId, processorId] = [(await readPurchase(buyer))!.id, await getProcessorId(buyer)]
    await decline(buyer, false)
    expect(await upgrade(buyer, 'plus')).toContain('subscription.ended')
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
    expect(getOwed(shop, processorId)).toEqual([])
    await expectNoMoreCharges(buyer, purchaseId, 1)
  })

  test('a subscription that is replaced after its last week was paid is not charged for the week before', async () => {
    const shop = getShop(acquiring)
    const buyer = await buyAndOweTwoWeeks(shop)
    const [purchaseId, processorId] = [(await readPurchase(buyer))!.id, await getProcessorId(buyer)]
    await decline(buyer, false)
    await shop.account.recover(processorId)
    await upgrade(buyer, 'plus')
    expect(getOwed(shop, processorId)).toEqual([])
    await expectNoMoreCharges(buyer, purchaseId, 2)
  })
})
