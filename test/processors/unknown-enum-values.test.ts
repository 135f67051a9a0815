import { describe, expect, test } from 'vitest'
import * as chargebee from '../../lib/processors/chargebee/objects.ts'
import { isGivenBack, toFacts } from '../../lib/processors/freemius/money.ts'
import * as freemius from '../../lib/processors/freemius/objects.ts'
import * as polar from '../../lib/processors/polar/objects.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'
import { parseReply } from '../../lib/processors/rest.ts'
import * as stripe from '../../lib/processors/stripe/objects.ts'

// Processors add values to the enumerations that classify objects. A status decides what was bought, so an unknown one is rejected.

const INVOICE = { id: 'i', customer_id: 'c', currency_code: 'USD', status: 'paid' }
const SUBSCRIPTION = { id: 's', customer_id: 'c', currency_code: 'USD', status: 'active' }
const PAYMENT = {
  id: '7',
  created: '2026-11-01 10:00:00',
  currency: 'usd',
  gross: 9.99,
  vat: 0,
  license_id: '1',
  type: 'payment',
  environment: 1,
}

describe('an unknown value is accepted', () => {
  test("for Chargebee's credit notes, transactions and items, and is ignored", () => {
    const invoice = chargebee.Invoice.parse({
      ...INVOICE,
      linked_payments: [{ txn_status: 'on_hold' }],
      issued_credit_notes: [{ cn_status: 'written_off', cn_total: 999 }],
    })
    expect(invoice.issued_credit_notes).toEqual([{ cn_status: 'written_off', cn_total: 999 }])
    const transaction = { id: 't', type: 'adjustment', status: 'success', currency_code: 'USD' }
    expect(chargebee.Transaction.parse(transaction)).toMatchObject({ type: 'adjustment' })
    const items = [{ item_type: 'seat', unit_price: 100 }]
    expect(chargebee.Subscription.parse({ ...SUBSCRIPTION, subscription_items: items }).subscription_items).toEqual(
      items,
    )
  })

  test("for Freemius' payments, which then count neither as paid nor as refunded", () => {
    const paid = freemius.Payment.parse(PAYMENT)
    const unknown = freemius.Payment.parse({ ...PAYMENT, id: '8', type: 'adjustment', bound_payment_id: '7' })
    expect(
      toFacts({ payments: [paid, unknown], subscriptions: [], lifetimePrice: null }).map(({ kind, id }) => [kind, id]),
    ).toEqual([['succeeded', '7']])
    expect(isGivenBack(paid, [paid, unknown])).toBe(false)
  })

  test("for Polar's billing reasons", () => {
    expect(polar.Order.shape.billing_reason.parse('subscription_gift')).toBe('subscription_gift')
  })
})

test.each([
  ['chargebee', chargebee.Subscription.shape.status],
  ['chargebee', chargebee.Invoice.shape.status],
  ['polar', polar.Subscription.shape.status],
  ['polar', polar.Order.shape.status],
  ['stripe', stripe.Subscription.shape.status],
  ['stripe', stripe.PaymentIntent.shape.status],
] as const)('an unknown status at %s is an invalid reply', (acquiring, status) => {
  const parse = () => parseReply(acquiring, status, 'frozen')
  expect(parse).toThrow(ProcessorError)
  expect(parse).toThrow('unexpected response: body invalid_value')
})
