import Chargebee from 'chargebee'
import { expect, test } from 'vitest'
import type { Adapter } from '../../../lib/processors/adapter.ts'
import { chargebeeAdapter } from '../../../lib/processors/chargebee/adapter.ts'
import type { PlanChange } from '../../../lib/processors/processor.ts'
import { CHECKOUT_ID, CREDENTIALS, getOrder, ONE_TIME } from './selling.ts'

const now = new Date('2026-11-22T12:34:56Z')
const DAY = 24 * 3600
/** The last full hour, from which the adapter counts a trial. */
const HOUR = Date.parse('2026-11-22T12:00:00Z') / 1000
const COMPARED_HEADERS = ['authorization', 'accept', 'content-type', 'chargebee-idempotency-key']

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: [string, string][]
}

async function readRequest(request: Request): Promise<Sent> {
  const isPost = request.method === 'POST'
  const names = COMPARED_HEADERS.filter((name) => isPost || name !== 'content-type')
  const headers = names.flatMap((name) => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value.toLowerCase()]]
  })
  const url = new URL(request.url)
  const query = [...url.searchParams].sort()
  const body = isPost ? [...new URLSearchParams(await request.text())].sort() : query
  return { method: request.method, url: url.origin + url.pathname, headers: Object.fromEntries(headers), body }
}

const ADDON = { item_price_id: 'seats-USD', item_type: 'addon', quantity: 3 }

const ACTIVE = { customer_id: 'cus', currency_code: 'USD', status: 'active', current_term_end: 1_795_000_000 }
const PRO = { item_price_id: 'pro-USD-monthly', item_type: 'plan', quantity: 1 }
const TEAM = { ...PRO, item_price_id: 'team-USD-monthly' }

const REPLIES: [path: RegExp, body: object, status?: number][] = [
  [/estimates/, { estimate: { next_invoice_estimate: { total: 2999, amount_due: 2999 } } }],
  [/declined\/update_for_items/, { type: 'payment', api_error_code: 'payment_processing_failed', message: 'no' }, 400],
  [
    /owing\/update_for_items/,
    { subscription: { id: 'owing', ...ACTIVE, due_invoices_count: 1, subscription_items: [TEAM] } },
  ],
  [
    /update_for_items/,
    {
      subscription: {
        id: 'changing',
        ...ACTIVE,
        status: 'non_renewing',
        has_scheduled_changes: true,
        subscription_items: [TEAM],
      },
    },
  ],
  [/subscriptions\/changing$/, { subscription: { id: 'changing', ...ACTIVE, subscription_items: [PRO, ADDON] } }],
  [/subscriptions\/declined$/, { subscription: { id: 'declined', ...ACTIVE, subscription_items: [PRO, ADDON] } }],
  [/subscriptions\/owing$/, { subscription: { id: 'owing', ...ACTIVE, subscription_items: [PRO, ADDON] } }],
  [/collect_now/, { hosted_page: { id: 'p', url: 'https://acme-test.chargebee.com/pages/v3/p/', state: 'created' } }],
  [
    /hosted_pages\/checkout/,
    { hosted_page: { id: 'p', url: 'https://acme-test.chargebee.com/pages/v3/p/', state: 'created' } },
  ],
  [/hosted_pages/, { hosted_page: { id: 'p', state: 'created' } }],
  [/portal_sessions/, { portal_session: { access_url: 'https://acme-test.chargebee.com/portal/v2/x' } }],
  [/invoices\?.*=paid&/, { list: [] }],
  [
    /invoices\?/,
    { list: [{ invoice: { id: 'A/1', customer_id: 'cus', status: 'payment_due', currency_code: 'EUR' } }] },
  ],
  [/unbilled_charges\?/, { list: [{ unbilled_charge: { id: 'ub_1' } }] }],
  [/void/, {}],
  [/invoices\/.*\/pdf$/, { download: { download_url: 'https://files.example/1.pdf', valid_till: 1_795_000_000 } }],
  [/invoices/, { invoice: { id: 'A/1', customer_id: 'cus', status: 'paid', currency_code: 'EUR' } }],
  [/customers/, { customer: { id: 'cus' } }],
  [/transactions/, { transaction: { id: 't', type: 'payment', currency_code: 'EUR' } }],
  [/subscriptions\/paid$/, { subscription: { id: 'paid', customer_id: 'c', currency_code: 'USD', status: 'active' } }],
  [
    /subscriptions/,
    {
      subscription: {
        id: CHECKOUT_ID,
        customer_id: 'cus',
        currency_code: 'USD',
        status: 'active',
        due_invoices_count: 1,
        started_at: 1,
        current_term_start: 1,
      },
    },
  ],
  [/comments/, {}],
]

/** The replies about subscriptions once they were cancelled. */
const CANCELLED: typeof REPLIES = [
  [
    /subscriptions\/paid$/,
    { subscription: { id: 'paid', customer_id: 'c', currency_code: 'USD', status: 'non_renewing' } },
  ],
  [
    /subscriptions\//,
    { subscription: { id: CHECKOUT_ID, customer_id: 'cus', currency_code: 'USD', status: 'cancelled' } },
  ],
]

function recorder() {
  const sent: Promise<Sent>[] = []
  let isCancelled = false
  const answer = (request: Request) => {
    sent.push(readRequest(request.clone()))
    isCancelled ||= request.url.includes('/cancel_for_items')
    const replies = isCancelled ? [...CANCELLED, ...REPLIES] : REPLIES
    const [, body = {}, status = 200] = replies.find(([path]) => path.test(request.url)) ?? []
    return Response.json(body, { status })
  }
  return { sent: () => Promise.all(sent), answer }
}

/** Compares what the adapter sends with what the official SDK sends. */
async function compare(ours: (adapter: Adapter) => Promise<unknown>, theirs: (sdk: Chargebee) => Promise<unknown>) {
  const [adapter, official] = [recorder(), recorder()]
  const send = async (input: string | URL | Request, init?: RequestInit) => adapter.answer(new Request(input, init))
  await ours(chargebeeAdapter(CREDENTIALS, { base: null, isTest: true, fetch: send, now: () => now }) as Adapter)
  const { site, apiKey } = CREDENTIALS
  const httpClient = { makeApiRequest: async (request: Request) => official.answer(request) }
  await theirs(new Chargebee({ site, apiKey, sdkTelemetryEnabled: false, httpClient }))
  const sent = await adapter.sent()
  expect(sent).toEqual(await official.sent())
  expect(sent.length).toBeGreaterThan(0)
}

const key = (value: string) => ({ 'chargebee-idempotency-key': value })
const order = getOrder()
const common = {
  layout: 'full_page',
  redirect_url: order.successUrl,
  cancel_url: order.errorUrl,
  pass_thru_content: JSON.stringify({ checkout_id: CHECKOUT_ID, paywall_id: '1001', user_id: order.userId }),
  customer: { id: order.userId, email: 'ada@example.com' },
} as const
const subscription_items = [{ item_price_id: 'pro-USD-monthly', quantity: 1 }]

test.each([
  ['none', 0, 0, order.key],
  ['a week', 7, HOUR + 7 * DAY, `${order.key}:${HOUR + 7 * DAY}`],
])('opens a subscription page with a trial of %s as the SDK does', (_, trialDays, trial_end, idempotencyKey) =>
  compare(
    (adapter) => adapter.openCheckout(getOrder({ trialDays })),
    (sdk) =>
      sdk.hostedPage.checkoutNewForItems(
        { ...common, subscription: { id: CHECKOUT_ID, trial_end }, subscription_items },
        key(idempotencyKey),
      ),
  ),
)

test('opens pages at a discount as the SDK does', () =>
  compare(
    async (adapter) => {
      await adapter.openCheckout(getOrder({ discount: 'SPRING' }))
      await adapter.openCheckout(getOrder({ ...ONE_TIME, discount: 'SPRING' }))
    },
    async (sdk) => {
      const coupon_ids = ['SPRING']
      const subscription = { id: CHECKOUT_ID, trial_end: 0 }
      await sdk.hostedPage.checkoutNewForItems(
        { ...common, coupon_ids, subscription, subscription_items },
        key(order.key),
      )
      await sdk.hostedPage.checkoutOneTimeForItems(
        {
          ...common,
          coupon_ids,
          currency_code: 'EUR',
          invoice: { po_number: CHECKOUT_ID },
          item_prices: [{ item_price_id: 'lifetime-EUR', quantity: 1 }],
        },
        key(order.key),
      )
    },
  ))

test('opens a one-time page for a known customer without an e-mail address as the SDK does', () =>
  compare(
    (adapter) => adapter.openCheckout(getOrder({ ...ONE_TIME, customer: 'cbc_1', email: null })),
    (sdk) =>
      sdk.hostedPage.checkoutOneTimeForItems(
        {
          ...common,
          customer: { id: 'cbc_1' },
          currency_code: 'EUR',
          invoice: { po_number: CHECKOUT_ID },
          item_prices: [{ item_price_id: 'lifetime-EUR', quantity: 1 }],
        },
        key(order.key),
      ),
  ))

test('opens pages for three units as the SDK does', async () => {
  await compare(
    (adapter) => adapter.openCheckout(getOrder({ quantity: 3 })),
    (sdk) =>
      sdk.hostedPage.checkoutNewForItems(
        {
          ...common,
          subscription: { id: CHECKOUT_ID, trial_end: 0 },
          subscription_items: [{ item_price_id: 'pro-USD-monthly', quantity: 3 }],
        },
        key(order.key),
      ),
  )
  await compare(
    (adapter) => adapter.openCheckout(getOrder({ ...ONE_TIME, quantity: 3 })),
    (sdk) =>
      sdk.hostedPage.checkoutOneTimeForItems(
        {
          ...common,
          currency_code: 'EUR',
          invoice: { po_number: CHECKOUT_ID },
          item_prices: [{ item_price_id: 'lifetime-EUR', quantity: 3 }],
        },
        key(order.key),
      ),
  )
})

test('cancels with a reason as the SDK does', () =>
  compare(
    (adapter) => adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Too expensive & “new”'),
    async (sdk) => {
      await sdk.subscription.cancelForItems(CHECKOUT_ID, { cancel_option: 'end_of_term' })
      const about = { entity_type: 'subscription', entity_id: CHECKOUT_ID } as const
      await sdk.comment.create({ ...about, notes: 'Too expensive & “new”' })
    },
  ))

test('opens the portal as the SDK does', () =>
  compare(
    (adapter) => adapter.openPortal?.('cbc_1', 'https://a.example/?b=c&d=e') ?? Promise.reject(new Error('no portal')),
    (sdk) => sdk.portalSession.create({ customer: { id: 'cbc_1' }, redirect_url: 'https://a.example/?b=c&d=e' }),
  ))

test('reads a hosted page as the SDK does', () =>
  compare(
    (adapter) => adapter.observe({ kind: 'page', id: 'p' }),
    (sdk) => sdk.hostedPage.retrieve('p'),
  ))

test('reads a subscription with its latest invoices as the SDK does', () =>
  compare(
    (adapter) => adapter.observe({ kind: 'subscription', id: CHECKOUT_ID }),
    async (sdk) => {
      await sdk.subscription.retrieve(CHECKOUT_ID)
      await sdk.invoice.list({ limit: 10, subscription_id: { is: CHECKOUT_ID }, 'sort_by[desc]': 'date' })
    },
  ))

test('ends a past due subscription at once as the SDK does', () =>
  compare(
    (adapter) => adapter.endNow?.(CHECKOUT_ID) ?? Promise.reject(new Error('it does not end')),
    async (sdk) => {
      await sdk.subscription.retrieve(CHECKOUT_ID)
      await sdk.invoice.list({ limit: 100, subscription_id: { is: CHECKOUT_ID }, 'sort_by[desc]': 'date' })
      await sdk.subscription.cancelForItems(CHECKOUT_ID, {
        cancel_option: 'immediately',
        account_receivables_handling: 'no_action',
        credit_option_for_current_term_charges: 'none',
        unbilled_charges_option: 'delete',
      })
      await sdk.subscription.retrieve(CHECKOUT_ID)
      await sdk.invoice.list({ limit: 100, subscription_id: { is: CHECKOUT_ID }, 'sort_by[desc]': 'date' })
      await sdk.invoice.voidInvoice('A/1')
    },
  ))

test('stops the charges of a paid up subscription as the SDK does', () =>
  compare(
    (adapter) => adapter.stopCharging?.('paid') ?? Promise.reject(new Error('it does not end')),
    async (sdk) => {
      const read = async () => {
        await sdk.subscription.retrieve('paid')
        await sdk.invoice.list({ limit: 100, subscription_id: { is: 'paid' }, 'sort_by[desc]': 'date' })
      }
      await read()
      await sdk.subscription.cancelForItems('paid', { cancel_option: 'end_of_term' })
      await read()
      await sdk.unbilledCharge.list({ limit: 100, subscription_id: { is: 'paid' } })
      await sdk.unbilledCharge.delete('ub_1')
    },
  ))

test('reads an invoice whose id has a slash as the SDK does', () =>
  compare(
    (adapter) => adapter.observe({ kind: 'payment', id: 'A/1' }),
    async (sdk) => {
      await sdk.invoice.retrieve('A/1')
      await sdk.customer.retrieve('cus')
    },
  ))

test('reads a reversed payment as the SDK does', () => {
  const transaction = { id: 'r', type: 'payment_reversal', currency_code: 'EUR', linked_payments: [{ id: 't' }] }
  const rawBody = JSON.stringify({
    id: 'ev_1',
    event_type: 'transaction_created',
    occurred_at: 1,
    content: { transaction },
  })
  const { webhookUser, webhookPassword } = CREDENTIALS
  const headers = new Headers({ authorization: `Basic ${btoa(`${webhookUser}:${webhookPassword}`)}` })
  return compare(
    (adapter) => adapter.readEvent({ headers, rawBody, now }),
    (sdk) => sdk.transaction.retrieve('t'),
  )
})

const getChange = (more: Partial<PlanChange> = {}): PlanChange => ({
  key: 'change:1',
  subscriptionId: 'changing',
  to: {
    processorPrice: 'team-USD-monthly',
    currency: 'USD',
    amount: 2999,
    quantity: 1,
    interval: 'month',
    intervalCount: 1,
  },
  when: 'now',
  pricedAt: now,
  options: {},
  ...more,
})

const change = (more?: Partial<PlanChange>) => (adapter: Adapter) =>
  adapter.changePlan?.(getChange(more), null) ?? Promise.reject(new Error('it changes no plans'))

/** The new plan, and the add-on that the subscription has. */
const changed = {
  replace_items_list: true,
  reactivate: false,
  subscription_items: [
    { item_price_id: 'team-USD-monthly', quantity: 1 },
    { item_price_id: 'seats-USD', quantity: 3 },
  ],
}
const atOnce = { ...changed, prorate: true, invoice_immediately: true }

test.each(['now', 'period_end'] as const)('previews a change of plan (%s) as the SDK does', (when) =>
  compare(
    (adapter) => adapter.previewPlanChange?.(getChange({ when })) ?? Promise.reject(new Error('it changes no plans')),
    async (sdk) => {
      await sdk.subscription.retrieve('changing')
      const subscription = { id: 'changing' }
      const later = { ...changed, end_of_term: true, use_existing_balances: when === 'period_end' }
      await sdk.estimate.updateSubscriptionForItems({ subscription, ...later })
      if (when === 'now') await sdk.estimate.updateSubscriptionForItems({ subscription, ...atOnce })
    },
  ),
)

test.each(['now', 'period_end'] as const)('changes a plan (%s) as the SDK does', (when) =>
  compare(change({ when }), async (sdk) => {
    await sdk.subscription.retrieve('changing')
    const fields = when === 'now' ? atOnce : { ...changed, end_of_term: true }
    await sdk.subscription.updateForItems('changing', fields, key('change:1'))
    if (when === 'now') await sdk.subscription.removeScheduledChanges('changing')
    await sdk.subscription.removeScheduledCancellation('changing')
  }),
)

test('opens the page of a change whose charge is declined as the SDK does', () =>
  compare(change({ subscriptionId: 'declined' }), async (sdk) => {
    await sdk.subscription.retrieve('declined')
    await sdk.subscription.updateForItems('declined', atOnce, key('change:1')).catch(() => undefined)
    await sdk.hostedPage.checkoutExistingForItems(
      { layout: 'full_page', subscription: { id: 'declined' }, ...changed },
      key('change:1:checkout_existing_for_items'),
    )
  }))

test('opens the page of a change whose invoice is due as the SDK does', () =>
  compare(change({ subscriptionId: 'owing' }), async (sdk) => {
    await sdk.subscription.retrieve('owing')
    await sdk.subscription.updateForItems('owing', atOnce, key('change:1'))
    await sdk.hostedPage.collectNow({ customer: { id: 'cus' } }, key('change:1:collect_now'))
  }))

test('opens the PDF of an invoice as the SDK does', () =>
  compare(
    async (adapter) =>
      expect(await adapter.openReceipt?.({ id: 'A/1', customer: 'cus' })).toEqual({
        kind: 'page',
        url: 'https://files.example/1.pdf',
      }),
    (chargebee) => chargebee.invoice.pdf('A/1', { disposition_type: 'inline' }),
  ))
