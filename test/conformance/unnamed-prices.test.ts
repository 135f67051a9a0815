import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly } from '../support/paywall-file.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  buy,
  causeAtProcessor,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { changesTo, sell } from './changing.ts'
import { firmPlan, type Plan, sellBesides, teamPlan } from './drivers/plans.ts'
import { paymentEvents } from './money.ts'
import { type Shop, useShops } from './shop.ts'

// A subscription whose processor charges a price that the paywall file does not name, or no longer names.

const getShop = useShops()

const team = ({ acquiring }: Shop) =>
  monthly({
    slug: 'team',
    label: 'Team',
    amount: 29.99,
    locals: [],
    processorPrice: teamPlan(acquiring).price,
    features: ['team'],
    tokens: [{ type: 'standard', count: 500 }],
  })

const nobodysPrice = { price_id: null, price_slug: null }

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('features last to the end of the paid time, then there is access only, until the file names the price', async () => {
    const shop = getShop(acquiring)
    await sellBesides(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    expect(await changesTo(buyer, teamPlan(acquiring))).toContain('subscription.plan_changed')
    expect(await readState(buyer)).toMatchObject({ paid: true, features: ['export'], purchases: [nobodysPrice] })
    const changed = (await ownerEvents(shop.world, buyer.userId)).find(({ type }) => type.endsWith('plan_changed'))
    expect(changed?.data).toMatchObject({ subscription: nobodysPrice, previous: { price_slug: 'monthly' } })
    const logged = shop.world.logs.filter(({ message }) => message.includes(NOT_NAMED))
    expect(logged.some(({ message }) => message.includes(shop.paywall.id))).toBe(true)

    await advancePastPeriodEnd(buyer)
    await advancePastPeriodEnd(buyer)
    expect(await readState(buyer)).toMatchObject({ paid: true, features: [], purchases: [nobodysPrice] })
    expect(await readTokens(buyer)).toBe(100)

    buyer.shop = await sell(shop, (prices) => [...prices, team(shop)])
    expect(await advanceClock(buyer, '1h')).toEqual(['subscription.plan_changed'])
    expect(await readState(buyer)).toMatchObject({
      paid: true,
      features: ['team'],
      purchases: [{ price_slug: 'team' }],
    })
    expect(await readTokens(buyer)).toBe(600)
  })

  test('a change from one unnamed price to another emits an event, and is logged', async () => {
    const shop = getShop(acquiring, 1)
    const plans = [teamPlan(acquiring), firmPlan(acquiring)]
    await sellBesides(shop, ...plans)
    const buyer = await buy(shop)
    const logged = () => shop.world.logs.filter(({ message }) => message.includes(NOT_NAMED)).length
    const before = logged()
    for (const [place, plan] of plans.entries()) {
      expect(await changesTo(buyer, plan)).toContain('subscription.plan_changed')
      expect(logged()).toBe(before + place + 1)
    }
    const changed = (await ownerEvents(shop.world, buyer.userId)).filter(({ type }) => type.endsWith('plan_changed'))
    expect(changed.map(({ data }) => data)).toMatchObject([
      { subscription: { ...nobodysPrice, unit_amount: 2999 }, previous: { price_slug: 'monthly' } },
      { subscription: { ...nobodysPrice, unit_amount: 4999 }, previous: { ...nobodysPrice, unit_amount: 2999 } },
    ])
    expect(await advanceClock(buyer, '8d')).not.toContain('subscription.plan_changed')
    expect(logged()).toBe(before + plans.length)
  })

  test('a refund of a period without tokens removes none of those paid for before', async () => {
    const shop = getShop(acquiring, 1)
    await sellBesides(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    const [first] = await paymentEvents(buyer)
    await changesTo(buyer, teamPlan(acquiring))
    await advancePastPeriodEnd(buyer)
    await causeAtProcessor(buyer, shop.there.refund)
    const refunded = (await paymentEvents(buyer)).at(-1)
    expect(refunded).toMatchObject({ type: 'payment.refunded', refunded: true })
    expect(refunded?.id).not.toBe(first?.id)
    expect(await readTokens(buyer)).toBe(100)
  })

  test('a retired price is known: the purchase gets it', async () => {
    const shop = getShop(acquiring, 1)
    const buyer = await buy(shop)
    buyer.shop = await sell(shop, (prices) => prices.filter(({ slug }) => slug !== 'plus'))
    const plus: Plan = { price: shop.driver.prices.plus, amount: 1999, interval: 'month' }
    await sellBesides(buyer.shop, plus)
    expect(await changesTo(buyer, plus)).toContain('subscription.plan_changed')
    const { id } = shop.paywall.prices.find(({ slug }) => slug === 'plus')!
    expect(await readPurchase(buyer)).toMatchObject({ price_id: id, price_slug: 'plus', features: ['export', 'api'] })
  })
})

const NOT_NAMED = 'subscription charged for a price that is not in the paywall file'
