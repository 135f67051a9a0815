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
import { changesTo, getPlans } from './changing.ts'
import { unheard } from './drivers/missed-webhooks.ts'
import { PAUSES_WHAT_IS_PAID, pause } from './drivers/pausing.ts'
import { changePlan, payAndChange, sellBesides, teamPlan } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { useShops } from './shop.ts'

// What was paid for at the previous price holds to its end, although the payment and the change of plan become known together.

const getShop = useShops(4)

test.each(PAUSES_WHAT_IS_PAID)(
  '%s: a payment credits its tokens, although it becomes known together with a pause',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await open(shop)
    await unheard(shop, async () => {
      await press(buyer.checkoutUrl, 'pay')
      await pause(shop, shop.there.sales().at(-1)!.processorId)
    })
    await advanceClock(buyer, '1h')
    expect(await readPurchase(buyer)).toMatchObject({ status: 'paused' })
    expect(await readTokens(buyer)).toBe(100)
  },
)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('the features of a page last to the end of what it sold, if the plan changes to one that no price of the file names', async () => {
    const shop = getShop(acquiring)
    await sellBesides(shop, teamPlan(acquiring))
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
    'so do those of a renewal that becomes known together with such a change by the %s',
    async (interval) => {
      const shop = getShop(acquiring, interval === 'month' ? 1 : 2)
      const plan = { ...teamPlan(acquiring), interval }
      await sellBesides(shop, plan)
      const buyer = await buy(shop)
      await unheard(shop, async () => {
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

  test('a change to a year that becomes known together with the renewal before it leaves the paid month a month', async () => {
    const shop = getShop(acquiring, 3)
    const buyer = await buy(shop)
    await unheard(shop, async () => {
      await advancePastPeriodEnd(buyer)
      await changePlan(shop, await getProcessorId(buyer), getPlans(shop).yearly)
    })
    await newEvents(buyer)
    await reconcileAll(shop)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'yearly' })
    expect(await readTokens(buyer)).toBe(200)
    await changesTo(buyer, getPlans(shop).monthly)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(300)
  })
})

/** The purchase has no price of the file, and gives access with these features. */
async function expectFeatures(buyer: Buyer, features: string[]): Promise<void> {
  expect(await readState(buyer)).toMatchObject({ paid: true, features, purchases: [{ price_slug: null, features }] })
}
