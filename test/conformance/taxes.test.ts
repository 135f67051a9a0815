import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  newEvents,
  open,
  readPurchase,
  readTokens,
} from './buyer.ts'
import { getPlans } from './changing.ts'
import { changePlan } from './drivers/plans.ts'
import { hasTerms, setUp } from './drivers/set-up.ts'
import { paymentEvents } from './money.ts'
import { useShops } from './shop.ts'
import { heldWebhooks } from './webhook.ts'

const getShop = useShops()

test.each(PROCESSOR_NAMES)(
  '%s: unit_amount of a one-time purchase is its price, whatever tax and coupon apply',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const terms = { taxPercent: 19, percentOff: 25 }
    await setUp(shop.world[acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
    const buyer = await buy(shop, 'lifetime')
    expect(await readPurchase(buyer)).toMatchObject({ unit_amount: 4900, currency: 'USD' })
    const events = await ownerEvents(shop.world, buyer.userId)
    const paid = events.find(({ type }) => type === 'payment.succeeded')?.data.payment?.amount
    const completed = events.find(({ type }) => type === 'checkout.completed')
    expect(completed?.data.checkout).toMatchObject({ amount: paid })
    if (hasTerms(acquiring)) expect(paid).not.toBe(4900)
  },
)

test.each(PROCESSOR_NAMES.filter(hasTerms))(
  '%s: events of a subscription have the charged amount in each period, and a full refund of it removes the tokens',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const terms = { taxPercent: 20, percentOff: 10 }
    await setUp(shop.world[acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
    const buyer = await buy(shop)
    const [completed] = await ownerEvents(shop.world, buyer.userId)
    expect(completed?.data.checkout).toMatchObject({ amount: 1079 })
    expect(await paymentEvents(buyer)).toMatchObject([{ type: 'payment.succeeded', amount: 1079 }])
    expect(await causeAtProcessor(buyer, shop.account.renew)).toContain('payment.succeeded 1079')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', unit_amount: 999 })
    await expectStoredAsAtProcessor(buyer)
    expect(await readTokens(buyer)).toBe(200)
    expect(await causeAtProcessor(buyer, shop.account.refund)).toEqual(['payment.refunded 1079'])
    expect(await readTokens(buyer)).toBe(100)
  },
)

describe.each(['monthly', 'lifetime'] as const)('the last payment of %s', (slug) => {
  test.each(PROCESSOR_NAMES)('%s: has its tax, its discount and its receipt, as its event has', async (acquiring) => {
    const shop = getShop(acquiring)
    const terms = { taxPercent: 20, percentOff: 10 }
    await setUp(shop.world[acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
    const buyer = await buy(shop, slug)
    const [event] = await paymentEvents(buyer)
    const { reportsTax, reportsDiscount, reportsReceipt } = shop.capabilities
    const taxed = slug === 'monthly' ? { amount: 1079, tax: 180 } : { amount: 5292, tax: 882 }
    // Where the owner has no coupons, only an offer takes something off.
    const couponOff = hasTerms(acquiring) ? (slug === 'monthly' ? 100 : 490) : 0
    const discount = reportsDiscount === 'never' ? null : couponOff
    const untaxed = { amount: slug === 'monthly' ? 999 : 4900, tax: null }
    expect(event).toMatchObject({
      ...(reportsTax === 'never' ? untaxed : taxed),
      currency: 'USD',
      discount,
      receipt_url: reportsReceipt ? expect.stringContaining(shop.emulator.url) : null,
    })
    const { amount, tax, currency, discount: off, receipt_url, occurred_at: paid_at } = event!
    expect((await readPurchase(buyer))?.last_payment).toEqual({
      amount,
      tax,
      discount: off,
      currency,
      paid_at,
      receipt_url,
    })
    if (typeof receipt_url === 'string') expect((await fetch(receipt_url)).status).toBe(200)
  })
})

test.each(PROCESSOR_NAMES)('%s: a trial has no last payment, and a renewal is the last one', async (acquiring) => {
  const shop = getShop(acquiring, 1)
  const trial = await buy(shop, 'yearly')
  expect(await readPurchase(trial)).toMatchObject({ status: 'trialing', last_payment: null })
  const buyer = await buy(shop)
  const first = (await readPurchase(buyer))?.last_payment
  expect(await advanceClock(buyer, '1d')).toEqual([])
  await causeAtProcessor(buyer, shop.account.renew)
  const events = await paymentEvents(buyer)
  expect(events).toHaveLength(2)
  expect(events[1]?.occurred_at).not.toBe(first?.paid_at)
  const last = (await readPurchase(buyer))?.last_payment
  expect(last).toMatchObject({ amount: 999, paid_at: events[1]?.occurred_at })
  await causeAtProcessor(buyer, shop.account.refund)
  expect((await readPurchase(buyer))?.last_payment).toEqual(last)
})

describe.each(['a renewal', 'a change of plan'] as const)('after %s', (kind) => {
  test.each(PROCESSOR_NAMES.filter(hasTerms))(
    '%s: checkout.completed has the discounted amount of the first payment, whose webhooks were lost',
    async (acquiring) => {
      const shop = getShop(acquiring)
      const discount = (percentOff: number) =>
        setUp(shop.world[acquiring], shop.paywall.id, {
          terms: { taxPercent: 0, percentOff },
          afterRetries: null,
          lagSeconds: 0,
        })
      await discount(25)
      const buyer = await open(shop)
      await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay'))
      await discount(0)
      const { processorId: id } = shop.account.sales().findLast(({ isSubscription }) => isSubscription)!
      await (kind === 'a renewal' ? shop.account.renew(id) : changePlan(shop, id, getPlans(shop).plus))
      expect(await newEvents(buyer)).toContain('checkout.completed')
      const [completed] = await ownerEvents(shop.world, buyer.userId)
      expect(completed?.data.checkout).toMatchObject({ price_slug: 'monthly', amount: 749 })
    },
  )
})
