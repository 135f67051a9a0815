import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advancePastPeriodEnd,
  buy,
  causeAtProcessor,
  getProcessorId,
  newEvents,
  open,
  readPurchase,
  readTokens,
} from './buyer.ts'
import { getPlans } from './changing.ts'
import { beforeWebhooksArrive } from './drivers/missed-webhooks.ts'
import { addUnmatchedPrices, changePlan, payAndChange, paysChangesAtOnce, teamPlan } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { useShops } from './shop.ts'

// The plan is changed at the processor before we have read the payment for the previous plan.

const getShop = useShops(1)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a renewal credits its own tokens, even if the same read shows a later change of plan', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await beforeWebhooksArrive(shop, async () => {
      await advancePastPeriodEnd(buyer)
      await changePlan(shop, await getProcessorId(buyer), getPlans(shop).plus)
    })
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    const earned = paysChangesAtOnce(acquiring) ? 400 : 200
    expect(await readTokens(buyer)).toBe(earned)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(earned + 300)
  })

  test('a first payment credits its own tokens, even if the same read shows a later change of plan', async () => {
    const shop = getShop(acquiring)
    const buyer = await open(shop)
    await payAndChange(shop, buyer.checkoutUrl, getPlans(shop).plus)
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    const earned = paysChangesAtOnce(acquiring) ? 300 : 100
    expect(await readTokens(buyer)).toBe(earned)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(earned + 300)
  })

  test.each(['plus', 'team'] as const)(
    'checkout.completed has the sold price, even if the plan has changed to %s by then',
    async (to) => {
      const shop = getShop(acquiring)
      const plan = to === 'team' ? teamPlan(acquiring) : getPlans(shop).plus
      if (to === 'team') await addUnmatchedPrices(shop, plan)
      const buyer = await open(shop)
      await payAndChange(shop, buyer.checkoutUrl, plan)
      await newEvents(buyer)
      const completed = (await ownerEvents(shop.world, buyer.userId)).find(({ type }) => type === 'checkout.completed')
      const { id } = shop.paywall.prices.find(({ slug }) => slug === 'monthly')!
      expect(completed?.data).toMatchObject({
        checkout: { price_id: id, price_slug: 'monthly', features: ['export'], amount: 999, currency: 'USD' },
      })
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: to === 'team' ? null : to })
    },
  )
})

describe.each(PROCESSOR_NAMES.filter((name) => !paysChangesAtOnce(name)))(
  '%s, where a change is charged later:',
  (acquiring) => {
    test('a renewal whose payment was processing when the plan was changed credits its own tokens', async () => {
      const shop = getShop(acquiring)
      const { rollOver, renew } = shop.account
      const buyer = await buy(shop)
      await causeAtProcessor(buyer, rollOver)
      await causeAtProcessor(buyer, (id) => changePlan(shop, id, getPlans(shop).plus))
      await reconcileAll(shop)
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
      expect(await readTokens(buyer)).toBe(100)
      await causeAtProcessor(buyer, renew)
      await reconcileAll(shop)
      expect(await readTokens(buyer)).toBe(200)
    })

    test('a renewal before a change to a price not in the paywall file credits its own tokens', async () => {
      const shop = getShop(acquiring)
      await addUnmatchedPrices(shop, teamPlan(acquiring))
      const buyer = await buy(shop)
      await beforeWebhooksArrive(shop, async () => {
        await causeAtProcessor(buyer, shop.account.renew)
        await changePlan(shop, await getProcessorId(buyer), teamPlan(acquiring))
      })
      await reconcileAll(shop)
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: null })
      expect(await readTokens(buyer)).toBe(200)
      await advancePastPeriodEnd(buyer)
      expect(await readTokens(buyer)).toBe(200)
    })
  },
)
