import { describe, expect, test } from 'vitest'
import { HostedPage, Invoice, Subscription } from '../../../lib/processors/chargebee/objects.ts'
import { decide, fromChargebee, type Observed } from '../../../lib/processors/chargebee/translate.ts'
import { CHECKOUT_ID } from './selling.ts'

const now = new Date(1_517_510_000_000)

/** The example of apidocs.chargebee.com/docs/api/subscriptions, with an id of ours and the items of catalog 2. */
const SUBSCRIPTION = {
  activated_at: 1517505643,
  auto_collection: 'off',
  billing_period: 1,
  billing_period_unit: 'month',
  created_at: 1517505643,
  currency_code: 'USD',
  current_term_end: 1519924843,
  current_term_start: 1517505643,
  customer_id: '__test__KyVnHhSBWkkwI2Tn',
  deleted: false,
  due_invoices_count: 1,
  due_since: 1517505643,
  has_scheduled_changes: false,
  id: CHECKOUT_ID,
  mrr: 0,
  next_billing_at: 1519924843,
  object: 'subscription',
  resource_version: 1517505643000,
  started_at: 1517505643,
  status: 'active',
  total_dues: 895,
  updated_at: 1517505643,
  subscription_items: [
    {
      item_price_id: 'basic-USD',
      item_type: 'plan',
      unit_price: 895,
      quantity: 1,
      amount: 895,
      object: 'subscription_item',
    },
  ],
}

/** The example of apidocs.chargebee.com/docs/api/invoices of a charge, with an order number of ours. */
const INVOICE = {
  adjustment_credit_notes: [],
  amount_adjusted: 0,
  amount_due: 0,
  amount_paid: 4000,
  amount_to_collect: 0,
  applied_credits: [],
  base_currency_code: 'USD',
  credits_applied: 0,
  currency_code: 'USD',
  customer_id: '__test__XpbBxQiS4HD18hX5',
  date: 1517429428,
  deleted: false,
  due_date: 1517429428,
  first_invoice: true,
  has_advance_charges: false,
  id: '__demo_inv__13',
  is_gifted: false,
  issued_credit_notes: [],
  net_term_days: 0,
  object: 'invoice',
  paid_at: 1517429428,
  po_number: CHECKOUT_ID,
  price_type: 'tax_exclusive',
  recurring: false,
  resource_version: 1517429428000,
  status: 'paid',
  total: 4000,
  linked_payments: [
    ...[{ applied_amount: 4000, applied_at: 1517429428, txn_amount: 4000, txn_date: 1517429428 }].map((payment) => ({
      ...payment,
      txn_id: 'txn___test__XpbBxQiS4HD1ArXD',
      txn_status: 'success',
    })),
  ],
}

/** The example of apidocs.chargebee.com/docs/api/hosted_pages. */
const PAGE = {
  created_at: 1517464663,
  embed: false,
  expires_at: 1517468263,
  object: 'hosted_page',
  state: 'created',
  id: '__one_time_checkout___test__cdqM9MLUubELMycut0Cr9sHq8gOTKEZSdcu',
  type: 'checkout_one_time',
  resource_version: 1517444863979,
  updated_at: 1517444863,
  url: 'https://yourapp.chargebee.com/pages/v3/__one_time_checkout___test__cdqM9MLUubELMycut0Cr9sHq8gOTKEZSdcu/',
}

const customer = { id: '__test__KyVnHhSBWkkwI2Tn', email: 'john@test.com' }

function subscription(more: object = {}, ...invoices: object[]) {
  const observed: Observed = {
    kind: 'subscription',
    subscription: Subscription.parse({ ...SUBSCRIPTION, due_invoices_count: 0, ...more }),
    scheduled: null,
    customer,
    invoices: { latest: invoices.map((each) => Invoice.parse({ ...INVOICE, ...each })), hasMore: false },
  }
  return decide(observed, now).found?.purchase
}

const invoice = (more: object = {}) =>
  decide({ kind: 'invoice', invoice: Invoice.parse({ ...INVOICE, ...more }), customer }, now).found?.purchase

const date = (seconds: number) => new Date(seconds * 1000)

test('the documented subscription is an active purchase when it is paid', () => {
  expect(subscription()).toEqual({
    processorId: CHECKOUT_ID,
    checkoutId: CHECKOUT_ID,
    customer: customer.id,
    buyerEmail: 'john@test.com',
    processorPrice: 'basic-USD',
    startedAt: date(1517505643),
    charged: null,
    priceCovered: true,
    changedInPeriod: false,
    scheduledChange: null,
    versions: { [CHECKOUT_ID]: 1517505643000 },
    status: 'active',
    begun: true,
    periodCovered: true,
    interval: 'month',
    intervalCount: 1,
    unitAmount: 895,
    quantity: 1,
    currency: 'USD',
    trialStart: null,
    trialEnd: null,
    currentPeriodStart: date(1517505643),
    currentPeriodEnd: date(1519924843),
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
  })
})

test('the documented subscription is pending while it owes its first payment, and past due if that was reversed', () => {
  const owes = { due_invoices_count: 1 }
  const unpaid = { status: 'payment_due', linked_payments: [{ txn_status: 'in_progress' }] }
  expect(subscription(owes, unpaid)).toMatchObject({ status: 'pending', begun: false, periodCovered: false })
  const failed = { status: 'not_paid', linked_payments: [{ txn_status: 'failure' }] }
  expect(subscription({ ...owes, status: 'cancelled' }, failed)).toMatchObject({ status: 'canceled', begun: false })
  const reversed = { status: 'not_paid', linked_payments: [{ txn_status: 'late_failure' }] }
  expect(subscription(owes, reversed)).toMatchObject({ status: 'past_due', begun: true, periodCovered: false })
  expect(subscription(owes, { status: 'paid' })).toMatchObject({ status: 'active', begun: true })
})

test.each([
  ['future', {}, { status: 'pending', begun: false }],
  ['in_trial', { trial_end: 1519924843 }, { status: 'trialing', trialStart: date(1517505643), periodCovered: true }],
  ['active', { due_invoices_count: 2 }, { status: 'past_due', begun: true, periodCovered: false }],
  ['non_renewing', { due_invoices_count: 2 }, { status: 'past_due', cancelAtPeriodEnd: true }],
  ['non_renewing', {}, { status: 'active', cancelAtPeriodEnd: true, cancelAt: date(1519924843), canceledAt: null }],
  [
    'non_renewing',
    { cancelled_at: 1519924000, cancel_schedule_created_at: 1517506000 },
    { cancelAt: date(1519924000), canceledAt: date(1517506000) },
  ],
  [
    'in_trial',
    { trial_end: 1519924843, cancelled_at: 1519924843 },
    { status: 'trialing', cancelAtPeriodEnd: true, cancelAt: date(1519924843) },
  ],
  [
    'non_renewing',
    { trial_end: 1519924843 },
    { status: 'trialing', cancelAtPeriodEnd: true, cancelAt: date(1519924843), periodCovered: true },
  ],
  ['non_renewing', { trial_end: 1517506000 }, { status: 'active', cancelAtPeriodEnd: true }],
  // "A subscription's state will not change if it is in in_trial state. However, cancellation will be scheduled" (API docs).
  [
    'in_trial',
    { trial_end: 1519924843, cancel_schedule_created_at: 1517506000 },
    { status: 'trialing', cancelAtPeriodEnd: true, cancelAt: date(1519924843), canceledAt: date(1517506000) },
  ],
  ['paused', { pause_date: 1517506000 }, { status: 'paused', cancelAtPeriodEnd: false }],
  [
    'paused',
    { cancelled_at: 1523924843, cancel_schedule_created_at: 1517506000 },
    { status: 'paused', cancelAtPeriodEnd: true, cancelAt: date(1523924843), canceledAt: date(1517506000) },
  ],
  [
    'active',
    { cancelled_at: 1523924843, cancel_schedule_created_at: 1517506000 },
    { status: 'active', cancelAtPeriodEnd: false, cancelAt: date(1523924843), canceledAt: date(1517506000) },
  ],
  ['cancelled', { cancelled_at: 1517509000 }, { status: 'canceled', cancelAt: null, canceledAt: date(1517509000) }],
  ['transferred', {}, { status: 'canceled', cancelAtPeriodEnd: false }],
])('a subscription that is %s %o', (status, more, expected) => {
  expect(subscription({ status, ...more })).toMatchObject(expected)
})

test('an unknown status is never mapped to a known one', () => {
  expect(() => subscription({ status: 'frozen' })).toThrow(/status/)
  expect(() => invoice({ status: 'gifted' })).toThrow(/status/)
  expect(() => HostedPage.parse({ ...PAGE, state: 'failed' })).toThrow(/state/)
})

test('the documented invoice is a one-time purchase, identified by our order number', () => {
  expect(invoice()).toMatchObject({
    processorId: '__demo_inv__13',
    checkoutId: CHECKOUT_ID,
    status: 'active',
    begun: true,
    unitAmount: 4000,
    interval: null,
    currentPeriodEnd: null,
    buyerEmail: 'john@test.com',
  })
  const note = (cn_total: number, cn_status = 'refunded') => ({
    issued_credit_notes: [{ cn_id: 'CN-1', cn_total, cn_status }],
  })
  expect(invoice(note(3999))?.status).toBe('active')
  expect(invoice(note(4000, 'refund_due'))?.status).toBe('active')
  expect(invoice(note(4000))?.status).toBe('refunded')
  expect(invoice({ status: 'payment_due', linked_payments: [] })).toMatchObject({ status: 'pending', begun: false })
  expect(invoice({ status: 'not_paid', linked_payments: [] })).toMatchObject({ status: 'canceled', begun: false })
  expect(invoice({ status: 'not_paid', linked_payments: [{ txn_status: 'late_failure' }] })?.status).toBe('refunded')
})

test('sales of another system are ignored', () => {
  expect(subscription({ id: '__test__KyVnHhSBWkkwI2Tn' })).toBeUndefined()
  expect(invoice({ po_number: undefined })).toBeUndefined()
  expect(invoice({ subscription_id: CHECKOUT_ID })).toBeUndefined()
  // Buyers may set a subscription's order number. A consolidated invoice names no subscription.
  expect(invoice({ recurring: true })).toBeUndefined()
})

test('the documented hosted page is undecided until it expires', () => {
  const decideOn = (more: object, at = now) =>
    decide({ kind: 'page', page: HostedPage.parse({ ...PAGE, ...more }) }, at)
  const expired = { found: null, isUndecided: false, todo: null, payments: [], versions: {} }
  expect(decideOn({}, date(1517468262))).toEqual({ ...expired, isUndecided: true })
  expect(decideOn({ state: 'requested' }, date(1517468263))).toEqual(expired)
  expect(decideOn({ state: 'cancelled' }, date(1517468262))).toEqual(expired)
  expect(decideOn({ state: 'succeeded' }).isUndecided).toBe(true)
})

test('amounts are hundredths, or whole units if the currency has no decimals', () => {
  const examples = [1250, 'USD', 1250, 'JPY', 1250, 'KWD', 1250, 'HUF', 1250, 'ISK']
  const pairs = Array.from({ length: examples.length / 2 }, (_, index) => examples.slice(index * 2, index * 2 + 2))
  expect(pairs.map(([amount, currency]) => fromChargebee(Number(amount), String(currency)))).toEqual([
    1250, 1250, 12500, 1250, 1250,
  ])
})

describe('the price', () => {
  const line = (entity_id: string, more: object = {}) => ({
    id: 'li_1',
    date_from: 1517505643,
    date_to: 1519924843,
    unit_amount: 895,
    amount: 895,
    entity_id,
    entity_type: 'plan_item_price',
    subscription_id: CHECKOUT_ID,
    ...more,
  })
  const PRO = { subscription_items: [{ ...SUBSCRIPTION.subscription_items[0], item_price_id: 'pro-USD' }] }
  const first = { total: 895, line_items: [line('basic-USD')] }

  test('is the item price of the plan, and covered by an invoice for it', () => {
    expect(subscription({}, first)).toMatchObject({
      processorPrice: 'basic-USD',
      priceCovered: true,
      changedInPeriod: false,
      scheduledChange: null,
      charged: 895,
    })
    expect(subscription(PRO, first)).toMatchObject({ processorPrice: 'pro-USD', priceCovered: false, charged: 895 })
    const difference = { total: 500, line_items: [line('pro-USD', { amount: 500 })] }
    expect(subscription(PRO, difference, first)).toMatchObject({
      priceCovered: true,
      changedInPeriod: true,
      charged: 895,
    })
    expect(subscription(PRO, { ...difference, status: 'voided' }, first)).toMatchObject({ priceCovered: false })
    // Nobody has paid for the change yet, as when payments are not collected automatically.
    const owed = { due_invoices_count: 1 }
    for (const status of ['payment_due', 'not_paid']) {
      expect(subscription({ ...PRO, ...owed }, { ...difference, status }, first)).toMatchObject({ priceCovered: false })
      expect(subscription(owed, { ...difference, status }, first)).toMatchObject({ priceCovered: true })
    }
    // Changed back: the first payment for the term still counts.
    expect(subscription({}, difference, first)).toMatchObject({ priceCovered: true })
  })

  test('is not covered by an invoice of an earlier term', () => {
    const earlier = { line_items: [line('pro-USD', { date_to: 1517505643 })] }
    expect(subscription(PRO, first, earlier)).toMatchObject({ priceCovered: false })
  })

  test('stays the same until a scheduled change takes effect', () => {
    const scheduled = { has_scheduled_changes: true, changes_scheduled_at: 1519924843 }
    expect(subscription(scheduled, first)).toMatchObject({ processorPrice: 'basic-USD', priceCovered: true })
  })

  test('of a trial is covered, and costs nothing', () => {
    const trial = { ...PRO, status: 'in_trial', trial_end: 1519924843 }
    expect(subscription(trial)).toMatchObject({ priceCovered: true, charged: 0 })
  })

  test('of a one-time purchase is the item price of its charge', () => {
    const line_items = [line('lifetime-EUR', { entity_type: 'charge_item_price' })]
    const sold = { processorPrice: 'lifetime-EUR', charged: 4000, startedAt: date(1517429428), priceCovered: true }
    expect(invoice({ line_items })).toMatchObject({ ...sold, versions: { __demo_inv__13: 1517429428000 } })
  })
})

test('a term whose invoice was voided is not covered', () => {
  const line_items = [{ entity_type: 'plan_item_price', entity_id: 'basic-USD', amount: 895, date_to: 1519924843 }]
  expect(subscription({}, { status: 'voided', line_items })).toMatchObject({ status: 'active', periodCovered: false })
})

test('a subscription whose only invoice was voided unpaid has not begun', () => {
  const voided = { status: 'voided', linked_payments: [] }
  expect(subscription({}, voided)).toMatchObject({ status: 'pending', begun: false })
  expect(subscription({ status: 'cancelled' }, voided)).toMatchObject({ status: 'canceled', begun: false })
})

describe('a payment that a bank has reversed', () => {
  const getFacts = (more: object) =>
    decide({ kind: 'invoice', invoice: Invoice.parse({ ...INVOICE, ...more }), customer }, now).payments
  const money = { paymentId: '__demo_inv__13', amount: 4000, currency: 'USD' }

  test('is a lost dispute, identified by the payment', () => {
    const [payment] = INVOICE.linked_payments
    expect(getFacts({})).toEqual([])
    const about = { id: 'txn___test__XpbBxQiS4HD1ArXD', ...money, occurredAt: date(1517429428) }
    expect(getFacts({ linked_payments: [{ ...payment, txn_status: 'late_failure' }] })).toEqual([
      { kind: 'disputed', ...about },
      { kind: 'dispute_lost', ...about },
    ])
  })

  test('is also a lost dispute if a credit note records it, until the note is voided', () => {
    const note = { cn_id: 'CN-1', cn_total: 4000, cn_date: 1517430000, cn_reason_code: 'chargeback' }
    const about = { id: 'CN-1', ...money, occurredAt: date(1517430000) }
    const lost = [
      { kind: 'disputed', ...about },
      { kind: 'dispute_lost', ...about },
    ]
    expect(getFacts({ issued_credit_notes: [{ ...note, cn_status: 'refunded' }] })).toEqual(lost)
    const won = { kind: 'dispute_won', ...about }
    expect(getFacts({ issued_credit_notes: [{ ...note, cn_status: 'voided' }] })).toEqual([...lost, won])
    expect(getFacts({ issued_credit_notes: [{ ...note, cn_status: 'refunded', cn_reason_code: 'waiver' }] })).toEqual(
      [],
    )
  })
})
