import { describe, expect, test } from 'vitest'
import * as chargebee from '../processors/chargebee/emulator/fixture.ts'
import * as freemius from '../processors/freemius/emulator/fixture.ts'
import * as polar from '../processors/polar/emulator/fixture.ts'
import * as stripe from '../processors/stripe/emulator/fixture.ts'

const PAYWALL = '1001'

describe('taxes and a coupon', () => {
  const TERMS = { taxPercent: 20, percentOff: 10 }
  // 10 % off 9.99, then 20 % tax on the rest.
  const [DISCOUNT, TAX] = [100, 180]
  const TOTAL = 999 - DISCOUNT + TAX

  test('at Stripe', async () => {
    const { emulator, stripe: sdk } = await stripe.startStripe()
    await emulator.setTerms(PAYWALL, TERMS)
    const taxed = { automatic_tax: { enabled: true } }
    const session = await stripe.buy(sdk, stripe.subscriptionOrder(taxed))
    expect(session).toMatchObject({
      amount_subtotal: 999,
      amount_total: TOTAL,
      total_details: { amount_discount: DISCOUNT, amount_tax: TAX },
    })
    const id = stripe.getId(session.subscription)
    await emulator.renew(id)
    const { latest_invoice, items } = await sdk.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    expect(latest_invoice).toMatchObject({
      subtotal: 999,
      total: TOTAL,
      total_excluding_tax: TOTAL - TAX,
      amount_paid: TOTAL,
      total_taxes: [{ amount: TAX }],
      total_discount_amounts: [{ amount: DISCOUNT }],
    })
    expect(items.data[0]).toMatchObject({ price: { unit_amount: 999 } })
    const once = await stripe.buy(sdk, stripe.paymentOrder(taxed))
    const payment = await sdk.paymentIntents.retrieve(stripe.getId(once.payment_intent))
    expect(payment.amount).toBe(once.amount_total)
    expect(once.amount_total).not.toBe(once.amount_subtotal)
  })

  test('at Polar, where a refund includes its share of the tax', async () => {
    const { emulator, polar: sdk } = await polar.startPolar()
    await emulator.setTerms(PAYWALL, TERMS)
    const { order, checkout } = await polar.buy(sdk)
    const amounts = { discount_amount: DISCOUNT, net_amount: 999 - DISCOUNT, tax_amount: TAX, total_amount: TOTAL }
    expect(checkout).toMatchObject({ amount: 999, ...amounts })
    expect(order).toMatchObject({ subtotal_amount: 999, ...amounts, due_amount: TOTAL })
    expect(await sdk.subscriptions.get(order.subscription_id ?? '')).toMatchObject({ amount: 999 - DISCOUNT })
    const refund = await sdk.refunds.create({ order_id: order.id, amount: 999 - DISCOUNT, reason: 'other' })
    expect(refund).toMatchObject({ amount: 999 - DISCOUNT, tax_amount: TAX })
    expect(await sdk.orders.get(order.id)).toMatchObject({ status: 'refunded', refunded_tax_amount: TAX })
  })

  test('at Chargebee', async () => {
    const { emulator, chargebee: sdk } = await chargebee.startChargebee()
    await emulator.setTerms(PAYWALL, TERMS)
    const { invoice, subscription } = await chargebee.subscribe(sdk)
    expect(invoice).toMatchObject({
      sub_total: 999,
      tax: TAX,
      total: TOTAL,
      amount_paid: TOTAL,
      discounts: [{ amount: DISCOUNT }],
      linked_payments: [{ txn_amount: TOTAL }],
    })
    expect(subscription).toMatchObject({ subscription_items: [{ unit_price: 999 }] })
  })

  test('at Freemius, whose amounts exclude tax', async () => {
    const { emulator, freemius: sdk } = await freemius.startFreemius()
    await emulator.setTerms(PAYWALL, TERMS)
    const { user, license } = await freemius.buy(sdk, emulator)
    const [paid] = await sdk.api.user.retrievePayments(user)
    expect(paid).toMatchObject({ gross: (TOTAL - TAX) / 100, vat: TAX / 100 })
    const subscription = await sdk.api.license.retrieveSubscription(license)
    expect(subscription).toMatchObject({ amount_per_cycle: 9.99, renewal_amount: 8.99, tax_rate: 0.2 })
  })
})
