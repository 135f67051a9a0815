import * as z from 'zod'
import { billing } from '../core/billing.ts'
import { disputed, onSubscription, planControl, quantityControl } from '../core/controls/billing-controls.ts'
import { changing, onRecord, onRecordWith } from '../core/controls/controls.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { changePrice, isSamePeriodLength } from '../core/domain/plan-changes.ts'
import { escalateDispute } from '../core/domain/reversals.ts'
import type { SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import { UNKNOWN_CHECKOUT } from '../core/pages/hosted-checkout.ts'
import { PORTAL } from '../core/pages/hosted-portal.ts'
import { formatMoney } from '../core/pages/layout.ts'
import { findVisit } from '../core/pages/visits.ts'
import { HOUR_SECONDS } from '../core/periods.ts'
import { createEmulator } from '../core/start.ts'
import { type StripeAccount, toAccountId } from './accounts.ts'
import { API } from './api.ts'
import { requireAuthentication } from './authentication.ts'
import { COUPONS } from './coupons.ts'
import { decimalsAtStripe } from './currencies.ts'
import { noSuch, refused } from './errors.ts'
import { hostedInvoice } from './hosted-invoice.ts'
import { refund } from './money.ts'
import { MONEY } from './objects/money.ts'
import { SELLING } from './objects/selling.ts'
import { ADAPTIVE_PRICING, managingSchedule, PRORATION, STRIPE_TAX, TERMS_OF_SERVICE } from './own.ts'
import { discountsOfChange, pendingUpdatesDue } from './plan-changes.ts'
import { receipt, UNKNOWN_RECEIPT } from './receipt.ts'
import { DUNNING, RATE_LIMIT, renewals } from './rules.ts'
import { releaseSchedule, scheduleInPortal } from './schedules.ts'
import { cancelSubscription, setCancelledInPortal } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

const BILLING = billing({
  names: { page: 'session', payment: 'payment_intent' },
  currencyDecimals: decimalsAtStripe,
  checkout: { path: '/c/pay/', successUrl: ({ successUrl, id }) => successUrl.replaceAll('{CHECKOUT_SESSION_ID}', id) },
  // "Sessions are short-lived" (docs.stripe.com/api/customer_portal/sessions); an hour is UNVERIFIED.
  portal: { path: '/p/session/', lifetimeSeconds: HOUR_SECONDS },
  end: (context, subscription) => cancelSubscription(context, subscription),
  setCancelled: setCancelledInPortal,
  changePlan: changeInPortal,
  schedulePlan: (context, subscription, price) =>
    price ? scheduleInPortal(context, subscription, price) : releaseSchedule(context, subscription),
  refund: (context, { id }, amount) => refund(context, { payment_intent: id, amount }),
  // Shorter than the days of a real bank, so that no subscription expires meanwhile: UNVERIFIED.
  pendingSeconds: 12 * HOUR_SECONDS,
  renewals,
})

/** A change of the interval begins a new period, which is invoiced at once (docs.stripe.com/billing/subscriptions/prorations). */
function changeInPortal(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  quantity = subscription.quantity,
): SubscriptionRecord {
  if (managingSchedule(subscription)) releaseSchedule(context, subscription)
  const isNow = PRORATION.read(context) === 'always_invoice' || !isSamePeriodLength(price, subscription.price)
  return changePrice(context, subscription, price, isNow ? 'now' : 'with the next period', {
    quantity,
    discounts: discountsOfChange(subscription, price),
  })
}

/** The money of a hosted page. */
const money = (amount: number, currency: string) => formatMoney(amount, currency, decimalsAtStripe(currency))

export const startStripeEmulator = createEmulator({
  name: 'stripe',
  accountId: ({ secretKey }: StripeAccount) => toAccountId(secretKey),
  newId: prefixedIds({
    customers: ['cus_', 7],
    pages: ['cs_test_', 29],
    subscriptions: ['sub_'],
    invoices: ['in_'],
    payments: ['pi_'],
    attempts: ['ch_'],
    refunds: ['re_'],
    disputes: ['dp_'],
    portalSessions: ['bps_'],
    events: ['evt_'],
  }),
  noSuch,
  refuse: (message) => refused('invalid', { message }),
  api: API,
  webhookFormat: WEBHOOK_FORMAT,
  views: { ...SELLING, ...MONEY },
  ...BILLING,
  visits: {
    ...BILLING.visits,
    '/i/': findVisit('invoices', UNKNOWN_CHECKOUT, (context, invoice, { path }) =>
      hostedInvoice(context, invoice, { path, money }),
    ),
    '/receipts/': findVisit('attempts', UNKNOWN_RECEIPT, (context, charge) => receipt(context, charge, money)),
  },
  // A pending update expires before a period ends at the same time.
  listDues: (context) => [...pendingUpdatesDue(context), ...BILLING.listDues(context)],
  about: { path: '/v1', credential: 'secret key' },
  controls: {
    ...BILLING.controls,
    enablePortal: PORTAL.control,
    setDunning: DUNNING.control,
    setProration: PRORATION.control,
    setAdaptivePricing: ADAPTIVE_PRICING.control,
    setStripeTax: STRIPE_TAX.control,
    setTermsOfService: TERMS_OF_SERVICE.control,
    setCoupons: COUPONS.control,
    /** The payer's bank disputes the payment, or with `warning` opens an inquiry. */
    dispute: onRecord(
      'payment_intent',
      'payments',
      { warning: z.boolean().default(false) },
      (context, payment, { warning }) =>
        context.show('disputes', disputed(context, payment, warning ? 'warning' : 'open')),
    ),
    /** Whether charges of the customer's stored card must be authenticated by the buyer. */
    requireAuthentication: onRecordWith(
      'customer',
      'customers',
      ['required', z.boolean().default(true)],
      requireAuthentication,
    ),
    /** Turns an inquiry into a dispute. */
    escalateDispute: changing('dispute', 'disputes', escalateDispute),
    /** Sets the account's rate limit. */
    setRateLimit: RATE_LIMIT.control,
    schedulePlan: planControl(scheduleInPortal),
    /** The customer changes the quantity in the portal, or the seller in the dashboard. */
    changeQuantity: quantityControl(changeInPortal),
    releaseSchedule: onSubscription(releaseSchedule),
  },
  lists: { checkoutSessions: 'pages', subscriptions: 'subscriptions' },
})

/** A local Stripe: its API for the official SDK, checkout and portal pages for people, signed webhooks for the service. */
export type StripeEmulator = Awaited<ReturnType<typeof startStripeEmulator>>
