import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { FileJson } from '../support/paywall-file.ts'
import { advanceClock, buy, newEvents, readPurchase, readState, readTokens } from './buyer.ts'
import { changePlanAndSync, getPlans } from './changing.ts'
import { addUnmatchedPrices, firmPlan, paysChangesAtOnce, teamPlan } from './drivers/plans.ts'
import { useShops } from './shop.ts'

// Tokens credited after a change of plan or with a daily top-up, and tokens on yearly and local prices.

/** A year credits 500 tokens, as does each day to users without paid tokens. 19.99 USD a month is 17.99 EUR in Germany. */
function withMoreTokens(sold: FileJson): FileJson {
  const { acquiring } = sold.processor as { acquiring: (typeof PROCESSOR_NAMES)[number] }
  const local = { countries: ['DE'], currency: 'EUR', amount: 17.99, processorPrice: firmPlan(acquiring).price }
  const fields: Record<string, FileJson> = {
    yearly: { tokens: [{ type: 'standard', count: 500 }] },
    plus: { locals: [local] },
  }
  const prices = (sold.prices as FileJson[]).map((price) => ({ ...price, ...fields[String(price.slug)] }))
  return { ...sold, prices, settings: { tokenization_queries: [{ type: 'standard', daily_limit: 500 }] } }
}

const getShop = useShops(4, withMoreTokens)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('tokens credited by a change of plan are not credited again by the next change', async () => {
    const buyer = await buy(getShop(acquiring))
    for (const slug of ['plus', 'monthly', 'plus'] as const) {
      await changePlanAndSync(buyer, getPlans(buyer.shop)[slug])
      await advanceClock(buyer, '1h')
    }
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    expect(await readTokens(buyer)).toBe(paysChangesAtOnce(acquiring) ? 300 : 100)
  })

  test('a change to the local amount of another price is a change to that price', async () => {
    const buyer = await buy(getShop(acquiring, 2), 'monthly', { body: { country: 'DE' } })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', currency: 'EUR' })
    await changePlanAndSync(buyer, { ...firmPlan(acquiring), amount: 1799, currency: 'EUR' })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', currency: 'EUR' })
  })

  test('a pack does not stop the daily top-up of its tokens, and a subscription does', async () => {
    const buyer = await buy(getShop(acquiring, 1), 'pack')
    expect((await readState(buyer)).balances).toEqual([{ type: 'standard', count: 500 }])
    const subscriber = await buy(getShop(acquiring, 1))
    await advanceClock(subscriber, '1d')
    expect((await readState(subscriber)).balances).toEqual([{ type: 'standard', count: 100 }])
  })

  test('when the features end for a price not in the paywall file, the owner gets an event, and the daily top-up starts', async () => {
    const shop = getShop(acquiring, 3)
    const plan = { ...teamPlan(acquiring), interval: 'year' } as const
    await addUnmatchedPrices(shop, plan)
    const buyer = await buy(shop)
    const end = Date.parse(String((await readPurchase(buyer))?.current_period_end))
    await changePlanAndSync(buyer, plan)
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

test.each(PROCESSOR_NAMES.filter(paysChangesAtOnce))(
  '%s: a downgrade from a year to months credits no tokens before the end of the year',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring, 1))
    await changePlanAndSync(buyer, getPlans(buyer.shop).yearly)
    expect(await readTokens(buyer)).toBe(500)
    await advanceClock(buyer, '40d')
    await changePlanAndSync(buyer, getPlans(buyer.shop).monthly)
    await advanceClock(buyer, '40d')
    expect(await readTokens(buyer)).toBe(500)
  },
)
