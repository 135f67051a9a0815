import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { buy, happens, hears, idOf, open, periodEnds, purchaseOf, tokensOf } from './buyer.ts'
import { plansOf } from './changing.ts'
import { unheard } from './drivers/missed-webhooks.ts'
import { changePlan, payAndChange, paysChangesAtOnce, sellBesides, teamPlan } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { useShops } from './shop.ts'

// The plan is changed at the processor before we know of the payment for the previous plan.

const shopOf = useShops(1)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a renewal that becomes known together with a later change credits the tokens that were paid for', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await unheard(shop, async () => {
      await periodEnds(buyer)
      await changePlan(shop, await idOf(buyer), plansOf(shop).plus)
    })
    await hears(buyer)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'plus' })
    const earned = paysChangesAtOnce(acquiring) ? 400 : 200
    expect(await tokensOf(buyer)).toBe(earned)
    await periodEnds(buyer)
    expect(await tokensOf(buyer)).toBe(earned + 300)
  })

  test('so does a first payment', async () => {
    const shop = shopOf(acquiring)
    const buyer = await open(shop)
    await payAndChange(shop, buyer.checkoutUrl, plansOf(shop).plus)
    await hears(buyer)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'plus' })
    const earned = paysChangesAtOnce(acquiring) ? 300 : 100
    expect(await tokensOf(buyer)).toBe(earned)
    await periodEnds(buyer)
    expect(await tokensOf(buyer)).toBe(earned + 300)
  })

  test.each(['plus', 'team'] as const)(
    'a checkout reports what it sold, although %s is charged for by then',
    async (to) => {
      const shop = shopOf(acquiring)
      const plan = to === 'team' ? teamPlan(acquiring) : plansOf(shop).plus
      if (to === 'team') await sellBesides(shop, plan)
      const buyer = await open(shop)
      await payAndChange(shop, buyer.checkoutUrl, plan)
      await hears(buyer)
      const completed = (await ownerEvents(shop.world, buyer.userId)).find(({ type }) => type === 'checkout.completed')
      const { id } = shop.paywall.prices.find(({ slug }) => slug === 'monthly')!
      expect(completed?.data).toMatchObject({
        checkout: { price_id: id, price_slug: 'monthly', features: ['export'], amount: 999, currency: 'USD' },
      })
      expect(await purchaseOf(buyer)).toMatchObject({ price_slug: to === 'team' ? null : to })
    },
  )

  test('so does a renewal whose payment was processing when the plan was changed', async () => {
    const shop = shopOf(acquiring)
    const { rollOver, renew } = shop.there
    if (paysChangesAtOnce(acquiring) || !rollOver) return
    const buyer = await buy(shop)
    await happens(buyer, rollOver)
    await happens(buyer, (id) => changePlan(shop, id, plansOf(shop).plus))
    await reconcileAll(shop)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'plus' })
    expect(await tokensOf(buyer)).toBe(100)
    await happens(buyer, renew)
    await reconcileAll(shop)
    expect(await tokensOf(buyer)).toBe(200)
  })

  test('so does a renewal before a change to a price that the file does not name', async () => {
    const shop = shopOf(acquiring)
    if (paysChangesAtOnce(acquiring)) return
    await sellBesides(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    await unheard(shop, async () => {
      await happens(buyer, shop.there.renew)
      await changePlan(shop, await idOf(buyer), teamPlan(acquiring))
    })
    await reconcileAll(shop)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: null })
    expect(await tokensOf(buyer)).toBe(200)
    await periodEnds(buyer)
    expect(await tokensOf(buyer)).toBe(200)
  })
})
