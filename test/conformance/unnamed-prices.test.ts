import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly, paywallFile, type Written, writtenWebhooks } from '../support/paywall-file.ts'
import { type Buyer, buy, hears, idOf, passes, periodEnds, purchaseOf, stateOf, tokensOf } from './buyer.ts'
import { changePlan, type Plan, sellBesides, teamPlan, tellsOfChanges } from './drivers/plans.ts'
import { type Shop, shopAt, soldThrough, useShops } from './shop.ts'

// A subscription whose processor charges a price that the paywall file does not name, or not any more.

const shopOf = useShops()

const team = ({ acquiring }: Shop) =>
  monthly({
    ...{ slug: 'team', label: 'Team', amount: 29.99, locals: [], processorPrice: teamPlan(acquiring).price },
    ...{ features: ['team'], tokens: [{ type: 'standard', count: 500 }] },
  })

/** Applies the file with other prices of one paywall. */
async function sell({ world, paywall, acquiring }: Shop, change: (prices: Written[]) => Written[]): Promise<Shop> {
  const { owner } = world.file
  const prices = change(soldThrough(acquiring).prices as Written[])
  const paywalls = world.file.paywalls.map(({ id, processor: { acquiring, credentials } }) => {
    const own = { ...soldThrough(acquiring), id, processor: { acquiring, credentials } }
    return id === paywall.id ? { ...own, prices } : own
  })
  const keys = [{ name: 'backend', secret: world.key }]
  const file = await paywallFile({ owner, keys, webhooks: writtenWebhooks(world.file), paywalls })
  await world.apply(file)
  const applied = file.paywalls.find(({ id }) => id === paywall.id)!
  return shopAt(world, applied, applied)
}

/** Changes the plan, and waits until it is known. */
async function changesTo(buyer: Buyer, plan: Plan): Promise<string[]> {
  await changePlan(buyer.shop, await idOf(buyer), plan)
  const heard = await hears(buyer)
  return tellsOfChanges(buyer.shop.acquiring) ? heard : [...heard, ...(await passes(buyer, '8d'))]
}

const nobodysPrice = { price_id: null, price_slug: null }

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('features last to the end of what is paid, then there is access alone, until the file names the price', async () => {
    const shop = shopOf(acquiring)
    await sellBesides(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    expect(await changesTo(buyer, teamPlan(acquiring))).toContain('subscription.plan_changed')
    expect(await stateOf(buyer)).toMatchObject({ paid: true, features: ['export'], purchases: [nobodysPrice] })
    const changed = (await ownerEvents(shop.world, buyer.userId)).find(({ type }) => type.endsWith('plan_changed'))
    expect(changed?.data).toMatchObject({ subscription: nobodysPrice, previous: { price_slug: 'monthly' } })
    const logged = shop.world.logs.filter(({ message }) => message.includes(NOT_NAMED))
    expect(logged.some(({ message }) => message.includes(shop.paywall.id))).toBe(true)

    await periodEnds(buyer)
    await periodEnds(buyer)
    expect(await stateOf(buyer)).toMatchObject({ paid: true, features: [], purchases: [nobodysPrice] })
    expect(await tokensOf(buyer)).toBe(100)

    buyer.shop = await sell(shop, (prices) => [...prices, team(shop)])
    expect(await passes(buyer, '1h')).toEqual(['subscription.plan_changed'])
    expect(await stateOf(buyer)).toMatchObject({ paid: true, features: ['team'], purchases: [{ price_slug: 'team' }] })
    expect(await tokensOf(buyer)).toBe(600)
  })

  test('a price that is retired is known: the purchase follows to it', async () => {
    const shop = shopOf(acquiring, 1)
    const buyer = await buy(shop)
    buyer.shop = await sell(shop, (prices) => prices.filter(({ slug }) => slug !== 'plus'))
    const plus: Plan = { price: shop.driver.prices.plus, amount: 1999, interval: 'month' }
    await sellBesides(buyer.shop, plus)
    expect(await changesTo(buyer, plus)).toContain('subscription.plan_changed')
    const { id } = shop.paywall.prices.find(({ slug }) => slug === 'plus')!
    expect(await purchaseOf(buyer)).toMatchObject({ price_id: id, price_slug: 'plus', features: ['export', 'api'] })
  })
})

const NOT_NAMED = 'has a price that the paywall file does not name'
