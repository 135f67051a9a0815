import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { changePlanAndSync, getPlans } from './changing.ts'
import { addUnmatchedPrices, changePlan, paysChangesAtOnce, sendsPlanChangeWebhook, teamPlan } from './drivers/plans.ts'
import { setUp } from './drivers/set-up.ts'
import { schedulesPlans } from './drivers/stopping.ts'
import { paymentEvents } from './money.ts'
import { useShops } from './shop.ts'

// A change of plan at the processor updates the price, features and tokens of the purchase.

const getShop = useShops()

const getChanges = async (buyer: Buyer) =>
  (await ownerEvents(buyer.shop.world, buyer.userId)).filter(({ type }) => type === 'subscription.plan_changed')

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a change of plan updates the price and the features, and emits one event with the previous ones', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { id } = (await readPurchase(buyer))!
    expect(await changePlanAndSync(buyer, getPlans(buyer.shop).yearly)).toContain('subscription.plan_changed')
    const yearly = shop.paywall.prices.find(({ slug }) => slug === 'yearly')
    const features = ['export', 'team']
    expect(await readState(buyer)).toMatchObject({
      paid: true,
      features,
      purchases: [{ id, price_id: yearly?.id, price_slug: 'yearly', interval: 'year', unit_amount: 8900, features }],
    })
    await advanceClock(buyer, '8d')
    expect(await getChanges(buyer)).toMatchObject([
      { data: { subscription: { price_slug: 'yearly' }, previous: { price_slug: 'monthly', features: ['export'] } } },
    ])
    await expectStoredAsAtProcessor(buyer)
  })

  test('a change of a discounted subscription to a shorter period, which leaves credit, is stored', async () => {
    const shop = getShop(acquiring)
    const discount = (percentOff: number) =>
      setUp(shop.world[acquiring], shop.paywall.id, {
        terms: { percentOff, taxPercent: 0 },
        afterRetries: null,
        lagSeconds: 0,
      })
    await discount(25)
    const buyer = await buy(shop, 'yearly')
    await discount(0)
    await advanceClock(buyer, '8d')
    await changePlanAndSync(buyer, getPlans(shop).monthly)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly' })
    await expectStoredAsAtProcessor(buyer)
  })

  test('a refund after a change of plan names the price that was paid', async () => {
    const buyer = await buy(getShop(acquiring), 'plus')
    const sold = await getProcessorId(buyer)
    await changePlanAndSync(buyer, getPlans(buyer.shop).monthly)
    await causeAtProcessor(buyer, () => buyer.shop.account.refund(sold, 300))
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly' })
    const [paid, refunded] = await paymentEvents(buyer)
    expect(paid).toMatchObject({ type: 'payment.succeeded', price_slug: 'plus' })
    expect(refunded).toMatchObject({ type: 'payment.refunded', id: paid?.id, price_slug: 'plus' })
  })

  test('an upgrade credits the additional tokens when it is paid, and a downgrade removes none', async () => {
    const buyer = await buy(getShop(acquiring))
    await changePlanAndSync(buyer, getPlans(buyer.shop).plus)
    expect(await readTokens(buyer)).toBe(paysChangesAtOnce(acquiring) ? 300 : 100)
    expect(await readState(buyer)).toMatchObject({ features: ['api', 'export'], purchases: [{ price_slug: 'plus' }] })
    await advancePastPeriodEnd(buyer)
    const earned = paysChangesAtOnce(acquiring) ? 600 : 400
    expect(await readTokens(buyer)).toBe(earned)
    await changePlanAndSync(buyer, getPlans(buyer.shop).monthly)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly' })
    expect(await readTokens(buyer)).toBe(earned)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(earned + 100)
  })

  test('switching back and forth, also to a year, credits an upgrade at most once and removes nothing; the next renewal credits its period', async () => {
    const buyer = await buy(getShop(acquiring))
    const earned = paysChangesAtOnce(acquiring) ? 300 : 100
    for (const slug of ['plus', 'monthly', 'yearly', 'monthly'] as const) {
      await changePlanAndSync(buyer, getPlans(buyer.shop)[slug])
      await advanceClock(buyer, '1h')
      expect(await readTokens(buyer)).toBeGreaterThanOrEqual(earned)
    }
    await advanceClock(buyer, '1d')
    // If each change is found only a week later, a month has passed.
    const months = sendsPlanChangeWebhook(acquiring) ? 0 : 1
    expect(await readTokens(buyer)).toBe(earned + months * 100)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(earned + (months + 1) * 100)
  })
})

describe.each(PROCESSOR_NAMES.filter(schedulesPlans))(
  '%s, where the portal or the owner can schedule a change:',
  (acquiring) => {
    test('a change scheduled for the end of the period takes effect with the next one', async () => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop)
      const scheduled = await causeAtProcessor(buyer, (id) => shop.account.schedulePlan!(id, shop.driver.prices.plus))
      expect(scheduled).toEqual(['subscription.plan_change_scheduled'])
      const purchase = await readPurchase(buyer)
      const scheduled_change = { price_slug: 'plus', effective_at: purchase?.current_period_end }
      expect(purchase).toMatchObject({ price_slug: 'monthly', scheduled_change })
      expect(await advancePastPeriodEnd(buyer)).toEqual(
        expect.arrayContaining(['payment.succeeded 1999', 'subscription.plan_changed', 'subscription.renewed']),
      )
      expect(await readState(buyer)).toMatchObject({ features: ['api', 'export'], purchases: [{ price_slug: 'plus' }] })
      expect(await readTokens(buyer)).toBe(400)
    })

    test('a price that is scheduled at the processor and not in the file has no id', async () => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop)
      await addUnmatchedPrices(shop, teamPlan(acquiring))
      await causeAtProcessor(buyer, (id) => shop.account.schedulePlan!(id, teamPlan(acquiring).price))
      expect(await readPurchase(buyer)).toMatchObject({ scheduled_change: { price_id: null, price_slug: null } })
    })
  },
)

test.each(PROCESSOR_NAMES.filter(paysChangesAtOnce))(
  '%s: a change whose charge fails has no effect',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const before = await readPurchase(buyer)
    await shop.emulator.declineCharges((await readCustomer(buyer)) ?? '')
    await expect(changePlan(shop, await getProcessorId(buyer), getPlans(shop).plus)).rejects.toThrow(/declined/)
    expect([await newEvents(buyer), await advanceClock(buyer, '8d'), await readPurchase(buyer)]).toEqual([
      [],
      [],
      before,
    ])
    expect(await readTokens(buyer)).toBe(100)
  },
)

async function readCustomer({ shop: { world }, userId }: Buyer): Promise<string | undefined> {
  const sql = 'select processor_customer as customer from purchases where user_id = $1'
  return (await world.database.query<{ customer: string }>(sql, [userId])).rows[0]?.customer
}
