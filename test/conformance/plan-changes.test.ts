import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type Buyer, buy, happens, passes, purchaseOf, stateOf, tokensOf } from './buyer.ts'
import { useShops } from './shop.ts'

// A plan that is changed at the processor: the purchase follows, with its price, its features and its tokens.

const shopOf = useShops()

const changesOf = async (buyer: Buyer) =>
  (await ownerEvents(buyer.shop.world, buyer.userId)).filter(({ type }) => type === 'subscription.plan_changed')

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('a plan that is changed there changes here, once, and the owner hears what it was before', async () => {
    const shop = shopOf(acquiring)
    const { changePlan } = shop.there
    if (!changePlan) return // a plan there is an amount and an interval, which only an owner's own call changes
    const buyer = await buy(shop)
    const { id } = (await purchaseOf(buyer))!
    await happens(buyer, (processorId) => changePlan(processorId, shop.driver.prices.yearly))
    await passes(buyer, '8d')
    const { purchases, paid } = await stateOf(buyer)
    expect(paid).toBe(true)
    expect(purchases).toMatchObject([{ id, price_slug: 'yearly', interval: 'year', unit_amount: 8900 }])
    expect(await changesOf(buyer)).toMatchObject([
      { data: { subscription: { price_slug: 'yearly' }, previous: { price_slug: 'monthly' } } },
    ])
  })

  test('switching to and fro earns no tokens', async () => {
    const shop = shopOf(acquiring)
    const { changePlan } = shop.there
    if (!changePlan) return // a plan there is an amount and an interval, which only an owner's own call changes
    const buyer = await buy(shop)
    expect(await tokensOf(buyer)).toBe(100)
    for (const slug of ['yearly', 'monthly'] as const) {
      await happens(buyer, (processorId) => changePlan(processorId, shop.driver.prices[slug]))
      await passes(buyer, '1h')
    }
    await passes(buyer, '1d')
    expect(await tokensOf(buyer)).toBe(100)
  })
})
