import { expect, test } from 'vitest'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import type { PurchaseReference } from '../../../lib/processors/processor.ts'
import { ACME } from './emulator/fixture.ts'
import { CUSTOMER, created, customer, decide, decision, dispute, ID, metadata, order, subscription } from './replies.ts'
import { ADA } from './shop.ts'

/*
 * Decisions on objects as Polar has sent them from its sandbox, and on examples that it has published. The values of an example are merged
 * into a reply that is complete by the types of its SDK.
 *
 * The sandbox's objects are the data of webhooks of March 2026, from an earlier API version than ours:
 * github.com/luizarnoldch/nextjs-better-auth at 4bad579e, docs/prds/polar/webhooks-workflow. The customer's ids, names, addresses and
 * invoice number are replaced. Products, users and subscriptions inside of them are left out, as are fields of the page that are
 * not read.
 */

const BILLING_ADDRESS = { line1: null, line2: null, postal_code: null, city: null, state: null, country: 'US' }

/** The buyer of both subscriptions. */
const BUYER = {
  id: CUSTOMER,
  created_at: '2026-03-30T16:07:05.856477Z',
  modified_at: '2026-03-30T16:13:50.303244Z',
  metadata: { name: 'Ada', myCustomProperty: 123 },
  external_id: ADA,
  email: 'ada@example.com',
  email_verified: false,
  type: 'individual',
  name: 'Ada',
  billing_address: BILLING_ADDRESS,
  tax_id: null,
  locale: 'en-US',
  organization_id: 'cba82639-1b03-43c2-8b3c-114677d043ba',
  deleted_at: null,
  avatar_url: null,
}

/** `buy-product.md`: `subscription.created`, with the same data as `subscription.active` and `subscription.updated`. */
const TRIAL = {
  created_at: '2026-03-30T16:13:53.540276Z',
  modified_at: null,
  id: 'd1b800fe-457a-4b3d-81f3-d6d505fa075e',
  amount: 4000,
  currency: 'pen',
  recurring_interval: 'month',
  recurring_interval_count: 1,
  status: 'trialing',
  current_period_start: '2026-03-30T16:13:53.532380Z',
  current_period_end: '2026-04-30T16:13:49.739867Z',
  trial_start: '2026-03-30T16:13:53.532380Z',
  trial_end: '2026-04-30T16:13:49.739867Z',
  cancel_at_period_end: false,
  canceled_at: null,
  started_at: '2026-03-30T16:13:53.532380Z',
  ends_at: null,
  ended_at: null,
  customer_id: CUSTOMER,
  product_id: '260ea636-e7ac-452e-ae4c-8c0db35365ca',
  discount_id: null,
  checkout_id: 'f90a1b3b-63f8-4176-9022-9b917da04c88',
  seats: null,
  customer_cancellation_reason: null,
  customer_cancellation_comment: null,
  price_id: '53cad27d-4727-4b99-843b-66459e5bcabd',
  metadata: {},
  custom_field_data: {},
  customer: BUYER,
  user_id: CUSTOMER,
  discount: null,
  prices: [
    {
      created_at: '2026-03-28T00:58:02.025930Z',
      modified_at: null,
      id: '53cad27d-4727-4b99-843b-66459e5bcabd',
      source: 'catalog',
      amount_type: 'fixed',
      price_currency: 'pen',
      tax_behavior: null,
      is_archived: false,
      product_id: '260ea636-e7ac-452e-ae4c-8c0db35365ca',
      type: 'recurring',
      recurring_interval: 'month',
      price_amount: 4000,
    },
  ],
  meters: [],
  pending_update: null,
}

/** `buy-product.md`: `order.paid`. */
const TRIAL_ORDER_PAID = {
  id: 'd786592b-1f8d-4a4c-8015-ea9cebba6007',
  created_at: '2026-03-30T16:13:53.888894Z',
  modified_at: null,
  status: 'paid',
  paid: true,
  subtotal_amount: 0,
  discount_amount: 0,
  net_amount: 0,
  tax_amount: 0,
  total_amount: 0,
  applied_balance_amount: 0,
  due_amount: 0,
  refunded_amount: 0,
  refunded_tax_amount: 0,
  currency: 'pen',
  billing_reason: 'subscription_create',
  billing_name: 'Ada',
  billing_address: BILLING_ADDRESS,
  invoice_number: 'ACME-0002',
  is_invoice_generated: false,
  seats: null,
  customer_id: CUSTOMER,
  product_id: TRIAL.product_id,
  product_price_id: null,
  discount_id: null,
  subscription_id: TRIAL.id,
  checkout_id: TRIAL.checkout_id,
  metadata: {},
  custom_field_data: {},
  platform_fee_amount: 0,
  platform_fee_currency: null,
  customer: { ...BUYER, modified_at: '2026-03-30T16:13:53.881116Z' },
  user_id: CUSTOMER,
  product_price: null,
  discount: null,
  items: [
    {
      created_at: '2026-03-30T16:13:53.895356Z',
      modified_at: null,
      id: 'f39551b4-6b0e-4d51-ab5c-fe960da9015f',
      label: 'Trial period for Independiente (Mar 30, 2026 - Apr 30, 2026)',
      amount: 0,
      tax_amount: 0,
      proration: false,
      product_price_id: null,
    },
  ],
  description: 'Independiente',
  amount: 0,
  from_balance_amount: 0,
}

/** `buy-product.md`: the last `order.updated`, sent when the invoice was generated. */
const TRIAL_ORDER = { ...TRIAL_ORDER_PAID, modified_at: '2026-03-30T16:13:54.485675Z', is_invoice_generated: true }

/** `buy-product.md`: the last `checkout.updated`, without the client secret in the address. */
const TRIAL_PAGE = {
  id: TRIAL.checkout_id,
  created_at: '2026-03-30T16:13:36.539565Z',
  modified_at: '2026-03-30T16:13:50.947326Z',
  status: 'succeeded',
  url: 'https://sandbox.polar.sh/checkout/polar_c_secret',
}

/** `cancel-uncancel.md`: `subscription.uncanceled`. The trial was ended after 23 minutes. No order of this subscription was recorded. */
const UNCANCELED = {
  ...TRIAL,
  created_at: '2026-03-30T06:02:44.960016Z',
  modified_at: '2026-03-30T06:38:44.731704Z',
  id: '715dddf9-1347-49c9-8082-b705b61dc26b',
  status: 'active',
  current_period_start: '2026-03-30T06:25:25.541492Z',
  current_period_end: '2026-04-30T06:25:25.541492Z',
  trial_start: '2026-03-30T06:02:44.952349Z',
  trial_end: '2026-03-30T06:25:25.541492Z',
  started_at: '2026-03-30T06:02:44.952349Z',
  checkout_id: '2b6f58e4-b48d-4e50-ad61-1c34c99dd7ae',
  customer: { ...BUYER, created_at: '2026-03-30T00:29:21.627828Z', modified_at: '2026-03-30T06:25:26.190024Z' },
}

/** `cancel-uncancel.md`: `subscription.canceled`, three seconds later. */
const CANCELED = {
  ...UNCANCELED,
  modified_at: '2026-03-30T06:38:47.576217Z',
  cancel_at_period_end: true,
  canceled_at: '2026-03-30T06:38:47.573437Z',
  ends_at: '2026-04-30T06:25:25.541492Z',
}

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

/**
 * The decision on what the sandbox has sent. Our metadata is added unless another is given, since the sales were not ours.
 *
 * @param sent - the objects that can be read by their ids
 * @param orders - what each list of orders contains
 */
async function decideSent(
  reference: PurchaseReference,
  sent: { id: string }[],
  orders: object[],
  ours: object = metadata,
) {
  const polar: typeof fetch = async (input) => {
    const { pathname } = new URL(String(input))
    const one = sent.find(({ id }) => pathname.endsWith(`/${id}`))
    if (one) return Response.json({ ...one, metadata: ours })
    return Response.json({ items: orders.map((each) => ({ ...each, metadata: ours })) })
  }
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: polar, now: () => new Date() })
  const observed = await adapter.observe(reference)
  return observed && adapter.decide(observed, new Date())
}

const TRIAL_READS: [string, PurchaseReference][] = [
  ['page', { kind: 'page', id: TRIAL_PAGE.id }],
  ['subscription', { kind: 'subscription', id: TRIAL.id }],
  ['order', { kind: 'payment', id: TRIAL_ORDER.id }],
]

const decideTrial = (reference: PurchaseReference, trialOrder: { id: string }, ours?: object) =>
  decideSent(reference, [TRIAL_PAGE, TRIAL, trialOrder], [trialOrder], ours)

test.each(TRIAL_READS)('a trial of the sandbox, read by its %s, is a purchase that has cost nothing', async (_, by) => {
  const decided = await decideTrial(by, TRIAL_ORDER)
  expect(decided).toMatchObject({ isUndecided: false, payments: [] })
  expect(decided?.found).toEqual({
    paywallId: '1001',
    purchase: {
      processorId: TRIAL.id,
      checkoutId: metadata.checkout_id,
      processorPrice: TRIAL.product_id,
      customer: CUSTOMER,
      buyerEmail: 'ada@example.com',
      startedAt: new Date('2026-03-30T16:13:53.532Z'),
      charged: 0,
      priceCovered: true,
      changedInPeriod: false,
      scheduledChange: null,
      versions: { [TRIAL.id]: 1_774_887_233_540_276, [TRIAL_ORDER.id]: 1_774_887_234_485_675 },
      status: 'trialing',
      begun: true,
      periodCovered: true,
      interval: 'month',
      intervalCount: 1,
      unitAmount: 4000,
      quantity: 1,
      currency: 'PEN',
      currentPeriodStart: new Date('2026-03-30T16:13:53.532Z'),
      currentPeriodEnd: new Date('2026-04-30T16:13:49.739Z'),
      trialStart: new Date('2026-03-30T16:13:53.532Z'),
      trialEnd: new Date('2026-04-30T16:13:49.739Z'),
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
    },
  })
})

test.each(TRIAL_READS)('a trial of the sandbox, read by its %s, is ignored without our metadata', async (_, by) => {
  expect(await decideTrial(by, TRIAL_ORDER, TRIAL.metadata)).toMatchObject({ found: null, isUndecided: false })
})

test('the order of a trial has the version of its creation until it is changed', async () => {
  const decided = await decideTrial({ kind: 'subscription', id: TRIAL.id }, TRIAL_ORDER_PAID)
  expect(decided?.found?.purchase.versions).toMatchObject({ [TRIAL_ORDER_PAID.id]: 1_774_887_233_888_894 })
})

test('a subscription of the sandbox is uncancelled, then cancelled with a higher version', async () => {
  const decideOn = (sent: typeof UNCANCELED | typeof CANCELED, ours?: object) =>
    decideSent({ kind: 'subscription', id: sent.id }, [sent], [], ours)
  const ended = { status: 'active', begun: true, charged: 0, trialEnd: new Date('2026-03-30T06:25:25.541Z') }
  expect((await decideOn(UNCANCELED))?.found?.purchase).toMatchObject({
    ...ended,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    versions: { [UNCANCELED.id]: 1_774_852_724_731_704 },
  })
  expect((await decideOn(CANCELED))?.found?.purchase).toMatchObject({
    ...ended,
    cancelAtPeriodEnd: true,
    cancelAt: new Date('2026-04-30T06:25:25.541Z'),
    canceledAt: new Date('2026-03-30T06:38:47.573Z'),
    versions: { [CANCELED.id]: 1_774_852_727_576_217 },
  })
  expect(await decideOn(CANCELED, CANCELED.metadata)).toMatchObject({ found: null })
})

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
