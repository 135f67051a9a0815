import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
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
import { changePlanAndSync, sell } from './changing.ts'
import { addUnmatchedPrices, firmPlan, type Plan, teamPlan } from './drivers/plans.ts'
import { paymentEvents } from './money.ts'
import { type Shop, useShops } from './shop.ts'

// A subscription whose processor charges a price that is not, or no longer, in the paywall file.

const getShop = useShops()

const teamPrice = ({ acquiring }: Shop) =>
  monthly({
    slug: 'team',
    label: 'Team',
    amount: 29.99,
    locals: [],
    processorPrice: teamPlan(acquiring).price,
    features: ['team'],
    tokens: [{ type: 'standard', count: 500 }],
  })

const noPrice = { price_id: null, price_slug: null }

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('features last to the end of the paid period; then there is only access, until the price is added to the paywall file', async () => {
    const shop = getShop(acquiring)
    await addUnmatchedPrices(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    expect(await changePlanAndSync(buyer, teamPlan(acquiring))).toContain('subscription.plan_changed')
    expect(await readState(buyer)).toMatchObject({ paid: true, features: ['export'], purchases: [noPrice] })
    const changed = (await ownerEvents(shop.world, buyer.userId)).find(({ type }) => type.endsWith('plan_changed'))
    expect(changed?.data).toMatchObject({ subscription: noPrice, previous: { price_slug: 'monthly' } })
    const logged = shop.world.logs.filter(({ message }) => message.includes(UNMATCHED_LOG))
    expect(logged.some(({ message }) => message.includes(shop.paywall.id))).toBe(true)

    await advancePastPeriodEnd(buyer)
    await advancePastPeriodEnd(buyer)
    expect(await readState(buyer)).toMatchObject({ paid: true, features: [], purchases: [noPrice] })
    expect(await readTokens(buyer)).toBe(100)

    buyer.shop = await sell(shop, (prices) => [...prices, teamPrice(shop)])
    expect(await advanceClock(buyer, '1h')).toEqual(['subscription.plan_changed'])
    expect(await readState(buyer)).toMatchObject({
      paid: true,
      features: ['team'],
      purchases: [{ price_slug: 'team' }],
    })
    expect(await readTokens(buyer)).toBe(600)
  })

  test('a change between two prices not in the paywall file emits an event, and is logged', async () => {
    const shop = getShop(acquiring, 1)
    const plans = [teamPlan(acquiring), firmPlan(acquiring)]
    await addUnmatchedPrices(shop, ...plans)
    const buyer = await buy(shop)
    const logged = () => shop.world.logs.filter(({ message }) => message.includes(UNMATCHED_LOG)).length
    const before = logged()
    for (const [index, plan] of plans.entries()) {
      expect(await changePlanAndSync(buyer, plan)).toContain('subscription.plan_changed')
      expect(logged()).toBe(before + index + 1)
    }
    const changed = (await ownerEvents(shop.world, buyer.userId)).filter(({ type }) => type.endsWith('plan_changed'))
    expect(changed.map(({ data }) => data)).toMatchObject([
      { subscription: { ...noPrice, unit_amount: 2999 }, previous: { price_slug: 'monthly' } },
      { subscription: { ...noPrice, unit_amount: 4999 }, previous: { ...noPrice, unit_amount: 2999 } },
    ])
    expect(await advanceClock(buyer, '8d')).not.toContain('subscription.plan_changed')
    expect(logged()).toBe(before + plans.length)
  })

  test('a refund of a period without tokens removes no tokens of earlier periods', async () => {
    const shop = getShop(acquiring, 1)
    await addUnmatchedPrices(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    const [first] = await paymentEvents(buyer)
    await changePlanAndSync(buyer, teamPlan(acquiring))
    await advancePastPeriodEnd(buyer)
    await causeAtProcessor(buyer, shop.account.refund)
    const refunded = (await paymentEvents(buyer)).at(-1)
    expect(refunded).toMatchObject({ type: 'payment.refunded', refunded: true })
    expect(refunded?.id).not.toBe(first?.id)
    expect(await readTokens(buyer)).toBe(100)
  })

  test('a change to a retired price gives the purchase that price', async () => {
    const shop = getShop(acquiring, 1)
    const buyer = await buy(shop)
    buyer.shop = await sell(shop, (prices) => prices.filter(({ slug }) => slug !== 'plus'))
    const plus: Plan = { price: shop.driver.prices.plus, amount: 1999, interval: 'month' }
    await addUnmatchedPrices(buyer.shop, plus)
    expect(await changePlanAndSync(buyer, plus)).toContain('subscription.plan_changed')
    const { id } = shop.paywall.prices.find(({ slug }) => slug === 'plus')!
    expect(await readPurchase(buyer)).toMatchObject({ price_id: id, price_slug: 'plus', features: ['export', 'api'] })
  })
})

test.each(PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsImmediateEnd))(
  '%s: an ended subscription keeps the features of its last event',
  async (acquiring) => {
    const shop = getShop(acquiring, 1)
    await addUnmatchedPrices(shop, teamPlan(acquiring))
    const buyer = await buy(shop)
    await changePlanAndSync(buyer, teamPlan(acquiring))
    await causeAtProcessor(buyer, shop.account.end)
    const [ended] = (await ownerEvents(shop.world, buyer.userId)).filter(({ type }) => type === 'subscription.ended')
    expect(ended?.data.subscription).toMatchObject({ ...noPrice, status: 'canceled', features: ['export'] })
    await advanceClock(buyer, '40d')
    expect(await readState(buyer)).toMatchObject({ paid: false, features: [], purchases: [{ features: ['export'] }] })
  },
)

const UNMATCHED_LOG = 'subscription charged for a price that is not in the paywall file'
