import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import { type Buyer, buy, hears, idOf, open, passes, periodEnds, purchaseOf, stateOf, tokensOf } from './buyer.ts'
import { changesTo, plansOf } from './changing.ts'
import { unheard } from './drivers/missed-webhooks.ts'
import { PAUSES_WHAT_IS_PAID, pause } from './drivers/pausing.ts'
import { changePlan, payAndChange, sellBesides, teamPlan } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { useShops } from './shop.ts'

// What was paid for at the price before holds to its end, although it is heard of with the change of the plan.

const shopOf = useShops(4)

test.each(PAUSES_WHAT_IS_PAID)(
  '%s: what was paid brings its tokens, although it is heard of with a pause',
  async (acquiring) => {
    const shop = shopOf(acquiring)
    const buyer = await open(shop)
    await unheard(shop, async () => {
      await press(buyer.checkoutUrl, 'pay')
      await pause(shop, shop.there.sales().at(-1)!.processorId)
    })
    await passes(buyer, '1h')
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'paused' })
    expect(await tokensOf(buyer)).toBe(100)
  },
)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('the features that a page sold last to the end of what was paid there, if no price of the file names what its plan was changed to', async () => {
    const shop = shopOf(acquiring)
    await sellBesides(shop, teamPlan(acquiring))
    const buyer = await open(shop)
    await payAndChange(shop, buyer.checkoutUrl, teamPlan(acquiring))
    await hears(buyer)
    await expectFeatures(buyer, ['export'])
    await passes(buyer, '25d')
    await expectFeatures(buyer, ['export'])
    await passes(buyer, '10d')
    await expectFeatures(buyer, [])
  })

  test.each(['month', 'year'] as const)(
    'those of a renewal do so, too, if it is heard of with the change to such a price by the %s',
    async (interval) => {
      const shop = shopOf(acquiring, interval === 'month' ? 1 : 2)
      const plan = { ...teamPlan(acquiring), interval }
      await sellBesides(shop, plan)
      const buyer = await buy(shop)
      await unheard(shop, async () => {
        await periodEnds(buyer)
        await changePlan(shop, await idOf(buyer), plan)
      })
      await hears(buyer)
      await expectFeatures(buyer, ['export'])
      await passes(buyer, '25d')
      await expectFeatures(buyer, ['export'])
      await passes(buyer, '10d')
      await expectFeatures(buyer, [])
    },
  )

  test('a change to a year that is heard of with the renewal before it does not make a year of the month that was paid', async () => {
    const shop = shopOf(acquiring, 3)
    const buyer = await buy(shop)
    await unheard(shop, async () => {
      await periodEnds(buyer)
      await changePlan(shop, await idOf(buyer), plansOf(shop).yearly)
    })
    await hears(buyer)
    await reconcileAll(shop)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'yearly' })
    expect(await tokensOf(buyer)).toBe(200)
    await changesTo(buyer, plansOf(shop).monthly)
    await periodEnds(buyer)
    expect(await tokensOf(buyer)).toBe(300)
  })
})

/** The purchase is of no price of the file, and gives access with these features. */
async function expectFeatures(buyer: Buyer, features: string[]): Promise<void> {
  expect(await stateOf(buyer)).toMatchObject({ paid: true, features, purchases: [{ price_slug: null, features }] })
}
