import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { stripeAdapter } from '../../../lib/processors/stripe/adapter.ts'
import { decideReply } from '../../../lib/processors/stripe/translate.ts'
import { ACME } from './emulator/fixture.ts'
import { CHECKOUT_ID } from './selling.ts'

/*
 * Objects as Stripe has sent them in version 2025-08-27.basil, in which they have the same shape as in our version. Fields that are
 * not read, or that identify a person, are left out.
 */

/** Of `evt_1SBiOdBe0ycHroRBN3pieuMu`, `customer.subscription.updated` in a sandbox: a day began, and was charged. */
const SUBSCRIPTION = {
  id: 'sub_1SAGUABe0ycHroRBHH0HMWOy',
  object: 'subscription',
  application: null,
  billing_cycle_anchor: 1758573442,
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  collection_method: 'charge_automatically',
  created: 1758573442,
  currency: 'brl',
  customer: 'cus_T66xzarl5v73XN',
  discounts: [],
  ended_at: null,
  latest_invoice: 'in_1SBiOcBe0ycHroRBRzEtNcba',
  livemode: false,
  metadata: {},
  pause_collection: null,
  pending_update: null,
  schedule: null,
  start_date: 1758573442,
  status: 'active',
  trial_end: null,
  trial_start: null,
  billing_mode: { flexible: null, type: 'classic' },
  items: {
    object: 'list',
    data: [
      {
        id: 'si_T6TR41zlO1VQ3e',
        object: 'subscription_item',
        created: 1758573443,
        discounts: [],
        quantity: 1,
        current_period_end: 1759005442,
        current_period_start: 1758919042,
        price: {
          id: 'price_1SAFNkBe0ycHroRBidLX2jgZ',
          object: 'price',
          active: true,
          billing_scheme: 'per_unit',
          created: 1758569200,
          currency: 'brl',
          custom_unit_amount: null,
          livemode: false,
          type: 'recurring',
          unit_amount: 200,
          unit_amount_decimal: '200',
          product: 'prod_T5k7ztL8jPMaTG',
          recurring: {
            interval: 'day',
            interval_count: 1,
            meter: null,
            trial_period_days: null,
            usage_type: 'licensed',
          },
        },
      },
    ],
    has_more: false,
    total_count: 1,
  },
}

/** Of `evt_1SVC8JHOQNg4XnOM2WgGoBj8` (juniorsereno/Nomami-v2, stripe-subscription-paid.md): bought on a page, so no attempt is counted. */
const INVOICE = {
  id: 'in_1SVC87HOQNg4XnOMdHAlqDva',
  object: 'invoice',
  amount_due: 2990,
  amount_paid: 2990,
  amount_remaining: 0,
  attempt_count: 0,
  attempted: true,
  auto_advance: false,
  billing_reason: 'subscription_create',
  currency: 'brl',
  created: 1763561586,
  customer: 'cus_TS6KX04w045BN9',
  customer_email: null,
  status: 'paid',
  total: 2990,
  lines: {
    object: 'list',
    data: [
      {
        id: 'il_1SVC86HOQNg4XnOMdluq1xyJ',
        object: 'line_item',
        amount: 2990,
        currency: 'brl',
        quantity: 1,
        discount_amounts: [],
        discounts: [],
        invoice: 'in_1SVC87HOQNg4XnOMdHAlqDva',
        pretax_credit_amounts: [],
        period: { end: 1766153586, start: 1763561586 },
        pricing: {
          price_details: { price: 'price_1SUyGiHOQNg4XnOMHSqLxNl9', product: 'prod_TRs00eb9Wd4ZEJ' },
          type: 'price_details',
          unit_amount_decimal: '2990',
        },
        taxes: [],
      },
    ],
    has_more: false,
    total_count: 1,
  },
  parent: {
    quote_details: null,
    subscription_details: { metadata: {}, subscription: 'sub_1SVC89HOQNg4XnOMoa93kOB2' },
    type: 'subscription_details',
  },
}

const [LINE] = INVOICE.lines.data
const metadata = { checkout_id: CHECKOUT_ID, paywall_id: '1001', user_id: 'user_1' }
const at = (seconds: number) => new Date(seconds * 1000)
const NOW = at(SUBSCRIPTION.created)

const decide = (more: object = {}) =>
  decideReply({ kind: 'subscription', reply: { ...SUBSCRIPTION, metadata, ...more }, disputes: null }, NOW).found

/** The invoice, changed to belong to the subscription. */
const invoiced = (more: object = {}, amount = 200) => {
  const { price } = SUBSCRIPTION.items.data[0]!
  const pricing = { ...LINE!.pricing, price_details: { ...LINE!.pricing.price_details, price: price.id } }
  return { ...INVOICE, ...more, lines: { ...INVOICE.lines, data: [{ ...LINE, amount, pricing }] } }
}

test('the sandbox subscription is ignored without our metadata, and is a purchase with it', () => {
  expect(
    decideReply({ kind: 'subscription', reply: { ...SUBSCRIPTION, latest_invoice: null }, disputes: null }, NOW).found,
  ).toBeNull()
  expect(decide({ latest_invoice: invoiced() })).toEqual({
    paywallId: '1001',
    purchase: {
      processorId: SUBSCRIPTION.id,
      checkoutId: CHECKOUT_ID,
      processorPrice: 'price_1SAFNkBe0ycHroRBidLX2jgZ',
      startedAt: at(1758573442),
      charged: 2990,
      customer: 'cus_T66xzarl5v73XN',
      buyerEmail: null,
      versions: {},
      status: 'active',
      begun: true,
      periodCovered: true,
      priceCovered: true,
      interval: 'day',
      intervalCount: 1,
      changedInPeriod: false,
      scheduledChange: null,
      unitAmount: 200,
      quantity: 1,
      currency: 'BRL',
      currentPeriodStart: at(1758919042),
      currentPeriodEnd: at(1759005442),
      trialStart: null,
      trialEnd: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
    },
  })
})

test.each([
  ['of another price', INVOICE, { priceCovered: false, periodCovered: true }],
  ['of a renewal', invoiced({ billing_reason: 'subscription_cycle' }), { priceCovered: true, charged: null }],
  [
    'of a renewal that is a draft',
    invoiced({ billing_reason: 'subscription_cycle', status: 'draft' }),
    { priceCovered: true, changedInPeriod: false, periodCovered: false },
  ],
  [
    'of a change that is paid',
    invoiced({ billing_reason: 'subscription_update' }),
    { priceCovered: true, changedInPeriod: true },
  ],
  [
    'of a change that is owed',
    invoiced({ billing_reason: 'subscription_update', status: 'open' }),
    { priceCovered: false },
  ],
  ['of a credit alone', invoiced({ billing_reason: 'subscription_update' }, -100), { priceCovered: false }],
])('a subscription is decided by its latest invoice, one %s', (_, latest_invoice, expected) => {
  expect(decide({ latest_invoice })?.purchase).toMatchObject(expected)
})

test.each([
  ['the end of the period, as the portal sets it', { cancel_at: 1759005442 }, true, at(1759005442)],
  ['the flag', { cancel_at_period_end: true, cancel_at: 1759005442 }, true, at(1759005442)],
  ['a later time', { cancel_at: 1790000000 }, false, at(1790000000)],
])('a subscription ends at %s', (_, more, cancelAtPeriodEnd, cancelAt) => {
  expect(decide({ latest_invoice: null, ...more })?.purchase).toMatchObject({ cancelAtPeriodEnd, cancelAt })
})

test('an invoice is reported as a payment, and its failure as the first attempt', async () => {
  const adapter = stripeAdapter(ACME, { base: null, isTest: true, fetch, now: () => at(1763561600) })
  async function read(type: string) {
    const payload = JSON.stringify({
      id: 'evt_1SVC8JHOQNg4XnOM2WgGoBj8',
      object: 'event',
      api_version: '2025-08-27.basil',
      created: 1763561590,
      data: { object: INVOICE },
      livemode: true,
      pending_webhooks: 1,
      type,
    })
    const signing = { payload, secret: ACME.webhookSecret, timestamp: 1763561590 }
    const signature = await new Stripe('sk_test_unused').webhooks.generateTestHeaderStringAsync(signing)
    return adapter.readEvent({
      headers: new Headers({ 'stripe-signature': signature }),
      rawBody: payload,
      now: at(1763561600),
    })
  }
  const about = { kind: 'subscription', id: 'sub_1SVC89HOQNg4XnOMoa93kOB2' }
  const money = { amount: 2990, currency: 'BRL', occurredAt: at(1763561590) }
  const { id } = INVOICE
  expect(await read('invoice.paid')).toMatchObject({ about, payment: { kind: 'succeeded', id, ...money } })
  expect((await read('invoice.payment_failed')).payment).toEqual({
    kind: 'failed',
    id: `${id}:1`,
    paymentId: id,
    ...money,
  })
})
