import { expect, test } from 'vitest'
import { created, customer, decide, decision, dispute, ID, order, subscription } from './replies.ts'

/*
 * Decisions on objects that Polar has published. No complete payloads of its sandbox are public, so the values of its examples are
 * merged into replies that are complete by the types of its SDK.
 */

/** A subscription as Polar's database has it: `server/scripts/webhooks_sample.json` in github.com/polarsource/polar. */
const SAMPLE = {
  id: '892b8a73-17a7-49fd-9a41-f45e8fb57c41',
  status: 'active',
  amount: 0,
  currency: 'usd',
  recurring_interval: 'day',
  current_period_start: '2026-01-21T13:29:31.134657+00:00',
  current_period_end: '2026-01-22T13:29:31.134657+00:00',
  cancel_at_period_end: false,
  canceled_at: null,
  started_at: '2026-01-07T13:29:31.134657+00:00',
  ends_at: null,
  ended_at: null,
  discount_id: null,
  customer_id: '97cd9d0d-b59e-4e47-ace4-483b88708d9e',
  product_id: '01a31c1a-7af7-4958-9b73-c10e2fac5f70',
}

/** The examples of an order: `docs/openapi/2026-10.openapi.json` there. */
const ORDER_EXAMPLE = {
  status: 'paid',
  paid: true,
  subtotal_amount: 10_000,
  discount_amount: 1000,
  net_amount: 9000,
  tax_amount: 720,
  total_amount: 9720,
  applied_balance_amount: 0,
  due_amount: 0,
  refunded_amount: 0,
  refunded_tax_amount: 0,
  currency: 'usd',
  platform_fee_amount: 500,
  platform_fee_currency: 'usd',
  description: 'Pro Plan',
  refundable_amount: 9000,
  refundable_tax_amount: 720,
}

/** Those of a dispute, in the same document. */
const DISPUTE_EXAMPLE = {
  status: 'needs_response',
  resolved: false,
  closed: false,
  amount: 1000,
  tax_amount: 200,
  currency: 'usd',
  reason: 'fraudulent',
  past_due: false,
  order_id: '57107b74-8400-4d80-a2fc-54c2b4239cb3',
  payment_id: '42b94870-36b9-4573-96b6-b90b1c99a353',
}

test('a free daily subscription is mapped to a purchase', async () => {
  const sample = { ...subscription, ...SAMPLE, recurring_interval_count: 1, customer: { ...customer, ...created } }
  expect(await decide('subscription', sample, [])).toMatchObject({
    purchase: {
      processorId: SAMPLE.id,
      processorPrice: SAMPLE.product_id,
      status: 'active',
      begun: true,
      interval: 'day',
      intervalCount: 1,
      unitAmount: 0,
      currency: 'USD',
      priceCovered: true,
      charged: null,
      startedAt: new Date('2026-01-07T13:29:31.134Z'),
      currentPeriodStart: new Date('2026-01-21T13:29:31.134Z'),
      currentPeriodEnd: new Date('2026-01-22T13:29:31.134Z'),
    },
  })
})

test('an order with nothing due is a free purchase, and its dispute is reported', async () => {
  const examples = [{ ...order, ...ORDER_EXAMPLE }, [], [{ ...dispute, ...DISPUTE_EXAMPLE }]] as const
  const decided = await decision('payment', examples[0], [...examples[1]], [...examples[2]])
  expect(decided?.found?.purchase).toMatchObject({ processorId: ID, status: 'active', begun: true, charged: 0 })
  expect(decided?.payments).toMatchObject([
    { kind: 'disputed', paymentId: DISPUTE_EXAMPLE.order_id, amount: 1200, currency: 'USD' },
  ])
})
