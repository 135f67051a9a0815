import { expect, test } from 'vitest'
import { chargebeeAdapter } from '../../../lib/processors/chargebee/adapter.ts'
import { Invoice, Subscription } from '../../../lib/processors/chargebee/objects.ts'
import { decide } from '../../../lib/processors/chargebee/translate.ts'
import { CHECKOUT_ID, CREDENTIALS } from './selling.ts'

/*
 * Webhooks of one subscription on a test site, as Chargebee provides them for testing (github.com/bonusly/mock_chargebee,
 * fixtures/webhooks). The subscription has one of our ids, and an item of catalog 2 as its plan. Fields that are not read are left out.
 */

const PLAN = { item_price_id: 'basic-USD', item_type: 'plan', quantity: 1, unit_price: 900, amount: 900 }

/** The subscription that all of them share: on trial from July 2012 to August. */
const SUBSCRIPTION = {
  id: CHECKOUT_ID,
  customer_id: '3Nl7oGgQqGFprj9',
  billing_period: 1,
  billing_period_unit: 'month',
  trial_start: 1341690024,
  trial_end: 1344368424,
  created_at: 1341085225,
  started_at: 1341690024,
  has_scheduled_changes: false,
  deleted: false,
  object: 'subscription',
  currency_code: 'USD',
  subscription_items: [PLAN],
}

const line = (date_from: number, date_to: number, amount: number, more: object = {}) => ({
  id: 'li_3Nl7oGgQqGFrxEd',
  date_from,
  date_to,
  unit_amount: amount,
  quantity: 1,
  amount,
  object: 'line_item',
  subscription_id: CHECKOUT_ID,
  entity_type: 'plan_item_price',
  entity_id: 'basic-USD',
  ...more,
})

/** `subscription_cancellation_scheduled.json` */
const SCHEDULED = {
  ...SUBSCRIPTION,
  status: 'non_renewing',
  current_term_start: 1347046824,
  current_term_end: 1349638824,
  remaining_billing_cycles: 0,
  activated_at: 1344368424,
  cancelled_at: 1349638824,
  updated_at: 1349120451,
  resource_version: 1349120451000,
  due_invoices_count: 0,
  mrr: 995,
}

/** `payment_failed.json`: a renewal that is paid in part by credits. */
const FAILED = {
  transaction: {
    id: 'txn_3Nl7oGgQqGG8Pp4m',
    subscription_id: CHECKOUT_ID,
    payment_method: 'card',
    type: 'payment',
    date: 1364845255,
    amount: 224,
    status: 'failure',
    error_code: '3001',
    currency_code: 'USD',
    linked_invoices: [
      {
        invoice_id: '6',
        applied_amount: 224,
        applied_at: 1364845255,
        invoice_total: 1095,
        invoice_status: 'payment_due',
      },
    ],
    linked_refunds: [],
  },
  invoice: {
    id: '6',
    customer_id: '3Nl7oGgQqGFprj9',
    subscription_id: CHECKOUT_ID,
    recurring: true,
    status: 'payment_due',
    date: 1364845254,
    total: 1095,
    amount_paid: 0,
    credits_applied: 871,
    amount_due: 224,
    currency_code: 'USD',
    dunning_status: 'in_progress',
    resource_version: 1364845255000,
    first_invoice: false,
    object: 'invoice',
    line_items: [line(1364845254, 1367437254, 1000), line(1364845254, 1367437254, 95, { entity_id: 'data_usage' })],
    linked_payments: [
      {
        txn_id: 'txn_3Nl7oGgQqGG8Pp4m',
        applied_amount: 224,
        txn_status: 'failure',
        txn_date: 1364845255,
        txn_amount: 224,
      },
    ],
    issued_credit_notes: [],
  },
  subscription: {
    ...SUBSCRIPTION,
    status: 'active',
    current_term_start: 1364845254,
    current_term_end: 1367437254,
    resource_version: 1364845255000,
    due_invoices_count: 1,
    due_since: 1364845254,
    total_dues: 224,
  },
}

/** `payment_refunded.json`: a partial refund of the first invoice. */
const REFUNDED = {
  transaction: {
    id: 'txn_3Nl7oGgQqGG07E3V',
    subscription_id: CHECKOUT_ID,
    payment_method: 'card',
    type: 'refund',
    amount: 2,
    date: 1362253267,
    status: 'success',
    refunded_txn_id: 'txn_3Nl7oGgQqGFs2lf',
    currency_code: 'USD',
    linked_credit_notes: [
      ...[{ cn_id: 'TEST-CN-2', applied_amount: 2, cn_reason_code: 'other', cn_date: 1362253267 }].map((note) => ({
        ...note,
        cn_total: 2,
        cn_status: 'refunded',
        cn_reference_invoice_id: '1',
      })),
    ],
  },
  invoice: {
    id: '1',
    customer_id: '3Nl7oGgQqGFprj9',
    subscription_id: CHECKOUT_ID,
    recurring: true,
    status: 'paid',
    date: 1344368424,
    total: 995,
    amount_paid: 995,
    amount_due: 0,
    paid_at: 1344368425,
    currency_code: 'USD',
    resource_version: 1362253267000,
    first_invoice: true,
    object: 'invoice',
    line_items: [line(1344368424, 1347046824, 900)],
    linked_payments: [
      {
        txn_id: 'txn_3Nl7oGgQqGFs2lf',
        applied_amount: 995,
        txn_status: 'success',
        txn_date: 1344368425,
        txn_amount: 995,
      },
    ],
    issued_credit_notes: [
      { cn_id: 'TEST-CN-2', cn_reason_code: 'other', cn_date: 1362253267, cn_total: 2, cn_status: 'refunded' },
    ],
  },
  credit_note: { id: 'TEST-CN-2', reference_invoice_id: '1', reason_code: 'other', status: 'refunded', total: 2 },
}

const at = (seconds: number) => new Date(seconds * 1000)
const about = { kind: 'subscription', id: CHECKOUT_ID }

async function read(event_type: string, occurred_at: number, content: object) {
  const adapter = chargebeeAdapter(CREDENTIALS, { base: null, isTest: true, fetch, now: () => at(occurred_at) })
  const event = { id: 'ev_3Nl7oGgQqGG8UK4s', occurred_at, object: 'event', api_version: 'v2', content, event_type }
  const { webhookUser, webhookPassword } = CREDENTIALS
  const headers = new Headers({ authorization: `Basic ${btoa(`${webhookUser}:${webhookPassword}`)}` })
  return adapter.readEvent({ headers, rawBody: JSON.stringify(event), now: at(occurred_at) })
}

const decideOn = (subscription: object, ...invoices: object[]) =>
  decide(
    {
      kind: 'subscription',
      subscription: Subscription.parse(subscription),
      scheduled: null,
      customer: null,
      invoices: { latest: invoices.map((each) => Invoice.parse(each)), hasMore: false },
    },
    at(1349120500),
  )

test('a failed renewal is past due, and identified by its invoice', async () => {
  expect(await read('payment_failed', 1364845255, FAILED)).toMatchObject({
    about,
    payment: { kind: 'failed', id: 'txn_3Nl7oGgQqGG8Pp4m', paymentId: '6', amount: 224, currency: 'USD' },
    versions: { [CHECKOUT_ID]: 1364845255000, '6': 1364845255000 },
  })
  expect(decideOn(FAILED.subscription, FAILED.invoice, REFUNDED.invoice).found?.purchase).toMatchObject({
    status: 'past_due',
    begun: true,
    periodCovered: false,
    priceCovered: false,
    charged: 0,
    processorPrice: 'basic-USD',
    startedAt: at(1341690024),
    currentPeriodStart: at(1364845254),
  })
})

test('a refund is identified by the invoice, too, and changes no subscription', async () => {
  expect(await read('payment_refunded', 1362253267, REFUNDED)).toMatchObject({
    about,
    payment: { kind: 'refunded', id: 'txn_3Nl7oGgQqGG07E3V', paymentId: '1', amount: 2 },
  })
  expect(decideOn(SCHEDULED, REFUNDED.invoice).payments).toEqual([])
})

test('a scheduled cancellation ends with the term, whose price is covered by the last invoice', async () => {
  const event = await read('subscription_cancellation_scheduled', 1349120451, { subscription: SCHEDULED })
  expect(event).toMatchObject({ about, payment: null, versions: { [CHECKOUT_ID]: 1349120451000 } })
  const end = at(1349638824)
  const ending = { status: 'active', cancelAtPeriodEnd: true, cancelAt: end, currentPeriodEnd: end }
  expect(decideOn(SCHEDULED, REFUNDED.invoice).found?.purchase).toMatchObject({ ...ending, priceCovered: true })
  const renewal = { ...REFUNDED.invoice, id: '2', line_items: [line(1347046824, 1349638824, 900)] }
  expect(decideOn(SCHEDULED, renewal, REFUNDED.invoice).found?.purchase).toMatchObject({
    ...ending,
    priceCovered: true,
  })
  const other = { ...SCHEDULED, subscription_items: [{ ...PLAN, item_price_id: 'pro-USD' }] }
  expect(decideOn(other, renewal, REFUNDED.invoice).found?.purchase).toMatchObject({ ...ending, priceCovered: false })
})
