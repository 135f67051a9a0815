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
import { OWES_SEVERAL, owesSeveral, recoversByLatest, repeatForThreeWeeks } from './drivers/dunning.ts'
import { type Shop, useShops } from './shop.ts'
import { charges, expectNoMoreCharges, getOwed, purchaseBy, upgrade } from './upgrading.ts'

// A weekly price: the next period begins while the previous charge is still being retried, so a subscription owes several periods at once.

const getShop = useShops(2, (sold, _, acquiring) => {
  const [first, ...others] = sold.prices
  return owesSeveral(acquiring) ? { ...sold, prices: [{ ...first, interval: 'week' }, ...others] } : sold
})

/** A buyer who owes two weeks, the latter for a day. */
async function owesTwoWeeks(shop: Shop): Promise<Buyer> {
  await repeatForThreeWeeks(shop)
  const buyer = await buy(shop, 'monthly')
  await decline(buyer, true)
  await advanceClock(buyer, '8d')
  expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(1)
  expect(await advanceClock(buyer, '7d')).not.toContain('subscription.ended')
  expect(await readState(buyer)).toMatchObject({ purchases: [{ status: 'past_due' }] })
  expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(2)
  return buyer
}

describe.each(OWES_SEVERAL)('%s', (acquiring) => {
  test('two owed weeks are paid, each once, and each credits its tokens, which are removed when it is refunded', async () => {
    const shop = getShop(acquiring)
    const buyer = await owesTwoWeeks(shop)
    const { id } = (await readPurchase(buyer))!
    const owed = getOwed(shop, await getProcessorId(buyer)).map(({ payment }) => payment ?? '')
    expect([await readTokens(buyer), (await charges(buyer))[id]]).toEqual([100, 1])
    await decline(buyer, false)
    // Meanwhile another week begins, and is paid as it begins.
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

  test('past due until the processor considers it paid, by the last payment or by all', async () => {
    const shop = getShop(acquiring)
    const buyer = await owesTwoWeeks(shop)
    await decline(buyer, false)
    await shop.there.recover(await getProcessorId(buyer))
    await advanceClock(buyer, '1m')
    expect(getOwed(shop, await getProcessorId(buyer))).toHaveLength(1)
    expect(await readState(buyer)).toMatchObject({
      purchases: [{ status: recoversByLatest(acquiring) ? 'active' : 'past_due' }],
    })
    await expectStoredAsAtProcessor(buyer)
  })

  test('replaced: all that it owes is void, and it ends', async () => {
    const shop = getShop(acquiring)
    const buyer = await owesTwoWeeks(shop)
    const [here, there] = [(await readPurchase(buyer))!.id, await getProcessorId(buyer)]
    await decline(buyer, false)
    expect(await upgrade(buyer, 'plus')).toContain('subscription.ended')
    expect(await purchaseBy(buyer, here)).toMatchObject({ status: 'canceled' })
    expect(getOwed(shop, there)).toEqual([])
    await expectNoMoreCharges(buyer, here, 1)
  })

  test('replaced after its last week was paid: it is not charged for the one before', async () => {
    const shop = getShop(acquiring)
    const buyer = await owesTwoWeeks(shop)
    const [here, there] = [(await readPurchase(buyer))!.id, await getProcessorId(buyer)]
    await decline(buyer, false)
    await shop.there.recover(there)
    await upgrade(buyer, 'plus')
    expect(getOwed(shop, there)).toEqual([])
    await expectNoMoreCharges(buyer, here, 2)
  })
})
