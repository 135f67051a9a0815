import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  getProcessorId,
  newEvents,
  open,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { changePlanAndSync, getPlans } from './changing.ts'
import { beforeWebhooksArrive } from './drivers/missed-webhooks.ts'
import { PAUSES_PAID, pause } from './drivers/pausing.ts'
import { addUnmatchedPrices, changePlan, payAndChange, teamPlan } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { useShops } from './shop.ts'

// The features and tokens of a paid period are kept even if the same read shows the payment and a later change of plan.

const getShop = useShops(4)

test.each(PAUSES_PAID)(
  '%s: a payment credits its tokens, even if the first read after it already shows a pause',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await open(shop)
    await beforeWebhooksArrive(shop, async () => {
      await press(buyer.checkoutUrl, 'pay')
      await pause(shop, shop.account.sales().at(-1)!.processorId)
    })
    await advanceClock(buyer, '1h')
    expect(await readPurchase(buyer)).toMatchObject({ status: 'paused' })
    expect(await readTokens(buyer)).toBe(100)
  },
)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('the sold features last to the end of the paid period if the plan changes to a price not in the paywall file', async () => {
    const shop = getShop(acquiring)
    await addUnmatchedPrices(shop, teamPlan(acquiring))
    const buyer = await open(shop)
    await payAndChange(shop, buyer.checkoutUrl, teamPlan(acquiring))
    await newEvents(buyer)
    await expectFeatures(buyer, ['export'])
    await advanceClock(buyer, '25d')
    await expectFeatures(buyer, ['export'])
    await advanceClock(buyer, '10d')
    await expectFeatures(buyer, [])
  })

  test.each(['month', 'year'] as const)(
    'the features of a renewal last to the end of its period if the same read shows a change to a price per %s not in the paywall file',
    async (interval) => {
      const shop = getShop(acquiring, interval === 'month' ? 1 : 2)
      const plan = { ...teamPlan(acquiring), interval }
      await addUnmatchedPrices(shop, plan)
      const buyer = await buy(shop)
      await beforeWebhooksArrive(shop, async () => {
        await advancePastPeriodEnd(buyer)
        await changePlan(shop, await getProcessorId(buyer), plan)
      })
      await newEvents(buyer)
      await expectFeatures(buyer, ['export'])
      await advanceClock(buyer, '25d')
      await expectFeatures(buyer, ['export'])
      await advanceClock(buyer, '10d')
      await expectFeatures(buyer, [])
    },
  )

  test('a renewal of a monthly plan credits one month if the same read shows a later change to the yearly plan', async () => {
    const shop = getShop(acquiring, 3)
    const buyer = await buy(shop)
    await beforeWebhooksArrive(shop, async () => {
      await advancePastPeriodEnd(buyer)
      await changePlan(shop, await getProcessorId(buyer), getPlans(shop).yearly)
    })
    await newEvents(buyer)
    await reconcileAll(shop)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'yearly' })
    expect(await readTokens(buyer)).toBe(200)
    await changePlanAndSync(buyer, getPlans(shop).monthly)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(300)
  })
})

/** Checks that the purchase has no price of the paywall file, and gives access with these features. */
async function expectFeatures(buyer: Buyer, features: string[]): Promise<void> {
  expect(await readState(buyer)).toMatchObject({ paid: true, features, purchases: [{ price_slug: null, features }] })
}
