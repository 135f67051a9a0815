import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import type { FileJson } from '../support/paywall-file.ts'
import { refusal } from '../support/refusal.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  decline,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  order,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { change, changePlan, paidAmounts, preview } from './change-plan-calls.ts'
import { changePlanAndSync, getPlans } from './changing.ts'
import {
  CHANGES_QUANTITIES,
  changeQuantity,
  KNOWS_ONLY_SUMS,
  leavePending,
  refuseDeclinedChanges,
} from './drivers/plans.ts'
import { refundsInLedger } from './money.ts'
import { useShops } from './shop.ts'

// Several units of a price: each is charged for, and brings its tokens.

/** The prices that are sold per unit, by the index of the shop: another one for what begins with a trial. */
const PER_UNIT = [
  ['monthly', 'plus', 'pack'],
  ['monthly', 'yearly'],
] as const

function perUnit(sold: { prices: object[] }, index: number, acquiring: ProcessorName): FileJson {
  if (!DEFINITIONS[acquiring].capabilities.sellsUnits) return sold as FileJson
  const prices = (sold.prices as FileJson[]).map((price) => ({
    ...price,
    per_unit: PER_UNIT[index]?.some((slug) => slug === price.slug) ?? false,
  }))
  return { ...sold, prices }
}

const getShop = useShops(2, perUnit)

const AT = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.sellsUnits)

const buyThree = (acquiring: ProcessorName, slug: 'monthly' | 'plus' | 'pack' = 'monthly') =>
  buy(getShop(acquiring), slug, { body: { quantity: 3 } })

/** What the owner's events show of quantities: those of checkouts, and those of subscriptions with their previous ones. */
const quantitiesInEvents = async ({ shop, userId }: Buyer) =>
  (await ownerEvents(shop.world, userId)).flatMap(({ type, data: { checkout, subscription, previous } }) =>
    checkout || subscription
      ? [`${type} ${checkout ? checkout.quantity : subscription?.quantity}, before ${previous?.quantity ?? 'none'}`]
      : [],
  )

/** An estimate changes by the second. */
const CENTS = 3

describe.each(AT)('%s', (acquiring) => {
  test('three units cost and bring three times as much, in every period', async () => {
    const buyer = await buyThree(acquiring)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999, quantity: 3 })
    expect(await readTokens(buyer)).toBe(300)
    expect(await quantitiesInEvents(buyer)).toEqual([
      'checkout.completed 3, before none',
      'subscription.created 3, before none',
    ])
    await advancePastPeriodEnd(buyer)
    expect(await paidAmounts(buyer)).toEqual([2997, 2997])
    expect(await readTokens(buyer)).toBe(600)
    await expectStoredAsAtProcessor(buyer)
  })

  test('more units are charged for as previewed, and bring the tokens that exceed those of the period', async () => {
    const buyer = await buyThree(acquiring)
    const shown = await preview(buyer, 'monthly', { quantity: 5 })
    expect(shown).toMatchObject({
      when: 'now',
      from: { price_slug: 'monthly', unit_amount: 999, quantity: 3 },
      to: { price_slug: 'monthly', unit_amount: 999, quantity: 5 },
    })
    expect(shown.next.amount).toBe(4995)
    expect(shown.due_now.amount).toBeGreaterThan(1980)
    expect(shown.due_now.amount).toBeLessThanOrEqual(1998)
    expect(shown.credit.amount).toBeGreaterThan(2980)
    expect(await changePlan(buyer, 'monthly', { quantity: 4, quote: shown.quote })).toMatchObject({
      status: 409,
      body: refusal('quote_expired'),
    })
    expect(await change(buyer, 'monthly', { quantity: 5, quote: shown.quote })).toContain('subscription.plan_changed')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999, quantity: 5 })
    expect(await quantitiesInEvents(buyer)).toContain('subscription.plan_changed 5, before 3')
    expect(await readTokens(buyer)).toBe(500)
    const [, charged] = await paidAmounts(buyer)
    expect(Math.abs(charged! - shown.due_now.amount)).toBeLessThanOrEqual(shown.estimate ? CENTS : 0)
    expect(await changePlan(buyer, 'monthly')).toMatchObject({ status: 409, body: refusal('price_unchanged') })
    await advancePastPeriodEnd(buyer)
    expect((await paidAmounts(buyer)).slice(2)).toEqual([4995])
    expect(await readTokens(buyer)).toBe(1000)
    await expectStoredAsAtProcessor(buyer)
  })

  test('fewer units take nothing now, and apply from the next period', async () => {
    const buyer = await buyThree(acquiring)
    const end = (await readPurchase(buyer))?.current_period_end
    const shown = await preview(buyer, 'monthly', { quantity: 2 })
    expect(shown).toMatchObject({ when: 'period_end', due_now: { amount: 0 }, next: { amount: 1998, at: end } })
    expect(await change(buyer, 'monthly', { quantity: 2, quote: shown.quote })).toEqual([
      'subscription.plan_change_scheduled',
    ])
    expect(await readPurchase(buyer)).toMatchObject({
      quantity: 3,
      scheduled_change: { price_slug: 'monthly', quantity: 2, effective_at: end },
    })
    expect(await readTokens(buyer)).toBe(300)
    await advancePastPeriodEnd(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ unit_amount: 999, quantity: 2, scheduled_change: null })
    expect(await quantitiesInEvents(buyer)).toContain('subscription.plan_changed 2, before 3')
    expect(await paidAmounts(buyer)).toEqual([2997, 1998])
    expect(await readTokens(buyer)).toBe(500)
  })

  test('scheduled fewer units are replaced by others, and undone by the current number', async () => {
    const buyer = await buyThree(acquiring)
    await change(buyer, 'monthly', { quantity: 2 })
    await change(buyer, 'monthly', { quantity: 1 })
    expect(await readPurchase(buyer)).toMatchObject({ quantity: 3, scheduled_change: { quantity: 1 } })
    const undone = await preview(buyer, 'monthly')
    expect(undone).toMatchObject({ to: { quantity: 3 }, due_now: { amount: 0 }, next: { amount: 2997 } })
    await change(buyer, 'monthly', { quote: undone.quote })
    expect(await readPurchase(buyer)).toMatchObject({ quantity: 3, scheduled_change: null })
    await advancePastPeriodEnd(buyer)
    expect(await paidAmounts(buyer)).toEqual([2997, 2997])
  })

  test('a change to another price keeps the quantity if that is sold per unit, and else is to one unit', async () => {
    const buyer = await buyThree(acquiring)
    const once = { to: { price_slug: 'yearly', unit_amount: 8900, quantity: 1 } }
    expect(await preview(buyer, 'yearly', { when: 'now' })).toMatchObject(once)
    expect(await changePlan(buyer, 'yearly', { quantity: 2 })).toMatchObject({
      status: 400,
      body: refusal('Invalid quantity'),
    })
    await change(buyer, 'plus')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', unit_amount: 1999, quantity: 3 })
    expect(await readTokens(buyer)).toBe(900)
    await change(buyer, 'monthly', { quantity: 10 })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999, quantity: 10 })
    expect(await readTokens(buyer)).toBe(1000)
  })

  test('in a trial the quantity changes free of charge, and is charged for at its end', async () => {
    const buyer = await buy(getShop(acquiring, 1), 'yearly', { body: { quantity: 2 } })
    expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing', unit_amount: 8900, quantity: 2 })
    const shown = await preview(buyer, 'yearly', { quantity: 3 })
    expect(shown).toMatchObject({ when: 'now', due_now: { amount: 0 }, next: { amount: 26700 } })
    await change(buyer, 'yearly', { quantity: 3, quote: shown.quote })
    expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing', quantity: 3 })
    await advancePastPeriodEnd(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', unit_amount: 8900, quantity: 3 })
    expect(await paidAmounts(buyer)).toEqual([26700])
  })

  test('another quantity and another interval are one change', async () => {
    const buyer = await buy(getShop(acquiring, 1), 'monthly', { body: { quantity: 3 } })
    const shown = await preview(buyer, 'yearly', { quantity: 5 })
    expect(shown).toMatchObject({ when: 'now', to: { unit_amount: 8900, quantity: 5, interval: 'year' } })
    await change(buyer, 'yearly', { quantity: 5, quote: shown.quote })
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'yearly', interval: 'year', quantity: 5 })
    const [, charged] = await paidAmounts(buyer)
    expect(Math.abs(charged! - shown.due_now.amount)).toBeLessThanOrEqual(shown.estimate ? CENTS : 0)
    expect(await preview(buyer, 'monthly', { quantity: 100 })).toMatchObject({ when: 'now', to: { quantity: 100 } })
    await change(buyer, 'monthly', { quantity: 20, when: 'period_end' })
    await advancePastPeriodEnd(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', interval: 'month', quantity: 20 })
    expect((await paidAmounts(buyer)).at(-1)).toBe(19_980)
  })

  test('a pack is sold several times at once, and a refund takes all of its tokens back', async () => {
    const buyer = await buyThree(acquiring, 'pack')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'pack', unit_amount: 500, quantity: 3 })
    expect(await readTokens(buyer)).toBe(150)
    expect(await paidAmounts(buyer)).toEqual([1500])
    await causeAtProcessor(buyer, (id) => buyer.shop.account.refund(id))
    expect(await refundsInLedger(buyer)).toEqual([-150])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'refunded', unit_amount: 500, quantity: 3 })
  })

  test('if the charge for more units is declined, their tokens come once it is paid', async () => {
    const buyer = await buyThree(acquiring)
    await refuseDeclinedChanges(buyer.shop)
    await decline(buyer, true)
    const { status, body } = await changePlan(buyer, 'monthly', { quantity: 5 })
    expect(status).toBe(200)
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', quantity: 3 })
    expect(await readTokens(buyer)).toBe(300)
    await press((body as { checkoutUrl: string }).checkoutUrl, 'pay')
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', quantity: 5 })
    expect(await readTokens(buyer)).toBe(500)
  })

  test('several units of a price that is not sold per unit are refused', async () => {
    expect(await order(getShop(acquiring), 'lifetime', { body: { quantity: 2 } })).toMatchObject({
      status: 400,
      body: refusal('Invalid quantity'),
    })
  })
})

test.each(CHANGES_QUANTITIES)(
  'a quantity that is changed in the portal of %s is a change of plan',
  async (acquiring) => {
    const buyer = await buyThree(acquiring)
    const setQuantity = async (quantity: number) => {
      await changeQuantity(buyer.shop, acquiring, await getProcessorId(buyer), quantity)
      return newEvents(buyer)
    }
    expect(await setQuantity(5)).toContain('subscription.plan_changed')
    expect(await quantitiesInEvents(buyer)).toContain('subscription.plan_changed 5, before 3')
    expect(await readTokens(buyer)).toBe(500)
    await setQuantity(2)
    expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'monthly', quantity: 2 }])
    await setQuantity(4)
    expect(await readTokens(buyer)).toBe(500)
    await advanceClock(buyer, '32d')
    expect(await readTokens(buyer)).toBe(900)
  },
)

test.each(CHANGES_QUANTITIES)(
  'units that %s charges with the next period bring their tokens then',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring, 1), 'monthly', { body: { quantity: 3 } })
    await leavePending(buyer.shop)
    await changeQuantity(buyer.shop, acquiring, await getProcessorId(buyer), 5)
    expect(await newEvents(buyer)).toEqual(['subscription.plan_changed'])
    expect(await readPurchase(buyer)).toMatchObject({ quantity: 5 })
    expect(await readTokens(buyer)).toBe(300)
    await advancePastPeriodEnd(buyer)
    expect(await readTokens(buyer)).toBe(800)
  },
)

test.each(KNOWS_ONLY_SUMS)('an amount that the owner sets at %s is the price of one unit', async (acquiring) => {
  const buyer = await buyThree(acquiring)
  await changePlanAndSync(buyer, getPlans(buyer.shop).plus)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', unit_amount: 1999, quantity: 1 })
})
