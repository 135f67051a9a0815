import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import type { FileJson } from '../support/paywall-file.ts'
import { advancePastPeriodEnd, type Buyer, newEvents, open, pay, readPurchase } from './buyer.ts'
import { getPlans, sell } from './changing.ts'
import { addUnmatchedPrices } from './drivers/plans.ts'
import { type Shop, useShops } from './shop.ts'

// A price that is edited in the paywall file between the opening of a page and its payment.

const getShop = useShops(3)

const editMonthly = (change: FileJson) => (prices: FileJson[]) =>
  prices.map((price) => (price.slug === 'monthly' ? { ...price, ...change } : price))

const getMonthlyPrice = ({ paywall }: Shop) => paywall.prices.find(({ slug }) => slug === 'monthly')!

/** Checks that the purchase has this price, also after a renewal, and that there is no change of plan. */
async function expectSold(
  buyer: Buyer,
  { id, amount, interval }: Pick<ReturnType<typeof getMonthlyPrice>, 'id' | 'amount' | 'interval'>,
) {
  const sold = { price_id: id, price_slug: 'monthly', unit_amount: amount, interval, features: ['export'] }
  const first = await newEvents(buyer)
  expect(first).toEqual(['checkout.completed', `payment.succeeded ${amount}`, 'subscription.created'])
  expect(await readPurchase(buyer)).toMatchObject(sold)
  expect((await ownerEvents(buyer.shop.world, buyer.userId))[0]?.data).toMatchObject({
    checkout: { price_id: id, price_slug: 'monthly', features: ['export'], amount },
  })
  expect(await advancePastPeriodEnd(buyer)).not.toContain('subscription.plan_changed')
  expect(await readPurchase(buyer)).toMatchObject(sold)
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('after an edit of the amount, the purchase has the price whose amount was charged', async () => {
    const before = getShop(acquiring)
    const buyer = await open(before)
    buyer.shop = await sell(before, editMonthly({ amount: 12.99 }))
    await pay(buyer)
    // A page that is only a link charges the amount at the time of payment.
    await expectSold(buyer, getMonthlyPrice(before.driver.opensPage ? before : buyer.shop))
  })

  test('after an edit of the interval, the purchase has the retired price', async () => {
    const before = getShop(acquiring, 1)
    const buyer = await open(before)
    buyer.shop = await sell(before, editMonthly({ interval: 'year' }))
    await addUnmatchedPrices(buyer.shop, getPlans(before).monthly)
    await pay(buyer)
    await expectSold(buyer, getMonthlyPrice(before))
  })
})
