import { expect, test } from 'vitest'
import { advancePastPeriodEnd, buy, cancelThroughApi, newEvents, readPurchase } from '../../conformance/buyer.ts'
import { changePlanAndSync, getPlans } from '../../conformance/changing.ts'
import { useShops } from '../../conformance/shop.ts'

const getShop = useShops()

// A cancelled subscription has no next payment date, and its interval is that of the plan that was never charged.
test.each([
  ['monthly', 'yearly'],
  ['yearly', 'monthly'],
] as const)('a %s subscription cancelled after a change to %s keeps the period that was paid for', async (from, to) => {
  const buyer = await buy(getShop('mollie'), from)
  await advancePastPeriodEnd(buyer)
  const { current_period_end: end } = (await readPurchase(buyer))!
  await changePlanAndSync(buyer, getPlans(buyer.shop)[to])
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: to })
  expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ current_period_end: end, cancel_at: end, access_until: end })
})
