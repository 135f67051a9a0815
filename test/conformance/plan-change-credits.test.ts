import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { Written } from '../support/paywall-file.ts'
import { advanceClock, buy, newEvents, readPurchase, readState, readTokens } from './buyer.ts'
import { changesTo, getPlans } from './changing.ts'
import { firmPlan, paysChangesAtOnce, sellBesides, teamPlan } from './drivers/plans.ts'
import { useShops } from './shop.ts'

// Tokens credited in a period with a change of plan, when years have tokens, prices have local ones, and a daily top-up exists.

/** A year credits 500 tokens, and so does a day to users who pay for none; 19.99 USD a month is 17.99 EUR in Germany. */
function richer(sold: Written): Written {
  const { acquiring } = sold.processor as { acquiring: (typeof PROCESSOR_NAMES)[number] }
  const local = { countries: ['DE'], currency: 'EUR', amount: 17.99, processorPrice: firmPlan(acquiring).price }
  const more: Record<string, Written> = {
    yearly: { tokens: [{ type: 'standard', count: 500 }] },
    plus: { locals: [local] },
  }
  const prices = (sold.prices as Written[]).map((price) => ({ ...price, ...more[String(price.slug)] }))
  return { ...sold, prices, settings: { tokenization_queries: [{ type: 'standard', daily_limit: 500 }] } }
}

const getShop = useShops(4, richer)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('tokens that one change of plan has credited are not credited again by the next', async () => {
    const buyer = await buy(getShop(acquiring))
    for (const slug of ['plus', 'monthly', 'plus'] as const) {
      await changesTo(buyer, getPlans(buyer.shop)[slug])
      await advanceClock(buyer, '1h')
    }
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    expect(await readTokens(buyer)).toBe(paysChangesAtOnce(acquiring) ? 300 : 100)
  })

  test('a year that credited more is the same period to its end', async () => {
    if (!paysChangesAtOnce(acquiring)) return
    const buyer = await buy(getShop(acquiring, 1))
    await changesTo(buyer, getPlans(buyer.shop).yearly)
    expect(await readTokens(buyer)).toBe(500)
    await advanceClock(buyer, '40d')
    await changesTo(buyer, getPlans(buyer.shop).monthly)
    await advanceClock(buyer, '40d')
    expect(await readTokens(buyer)).toBe(500)
  })

  test('a change to the amount of the buyer’s country is a change to that price', async () => {
    const buyer = await buy(getShop(acquiring, 2), 'monthly', { body: { country: 'DE' } })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', currency: 'EUR' })
    await changesTo(buyer, { ...firmPlan(acquiring), amount: 1799, currency: 'EUR' })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', currency: 'EUR' })
  })

  test('when the features of an unnamed price end, the owner gets an event, and the daily top-up starts', async () => {
    const shop = getShop(acquiring, 3)
    const plan = { ...teamPlan(acquiring), interval: 'year' } as const
    await sellBesides(shop, plan)
    const buyer = await buy(shop)
    const end = Date.parse(String((await readPurchase(buyer))?.current_period_end))
    await changesTo(buyer, plan)
    const minutes = async () => Math.floor((end - (await shop.world.clock.now(shop.paywall.id)).getTime()) / 60_000)
    await advanceClock(buyer, `${(await minutes()) - 5}m`)
    expect(await readState(buyer)).toMatchObject({ features: ['export'], purchases: [{ price_slug: null }] })
    expect(await readTokens(buyer)).toBe(100)
    await newEvents(buyer)
    expect(await advanceClock(buyer, `${(await minutes()) + 5}m`)).toContain('subscription.updated')
    expect(await readState(buyer)).toMatchObject({ features: [] })
    expect(await readTokens(buyer)).toBe(500)
  })
})
