import { billing } from '../core/billing.ts'
import { onSubscription, planControl, quantityControl } from '../core/controls/billing-controls.ts'
import { changing, onRecord } from '../core/controls/controls.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { changePrice, isSamePeriodLength, scheduleChange } from '../core/domain/plan-changes.ts'
import type { PageRecord, SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { pauseSubscription } from '../core/domain/subscriptions.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import { UNKNOWN_CHECKOUT } from '../core/pages/hosted-checkout.ts'
import { PORTAL } from '../core/pages/hosted-portal.ts'
import { withQuery } from '../core/pages/html-responses.ts'
import { formatMoney } from '../core/pages/layout.ts'
import { receiptVisits } from '../core/pages/receipt.ts'
import { findVisit } from '../core/pages/visits.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import { createEmulator } from '../core/start.ts'
import { type ChargebeeAccount, toAccountId } from './accounts.ts'
import { API, RATE_LIMIT } from './api.ts'
import { INVOICE_PREFIX } from './bills.ts'
import { changePage } from './change-pages.ts'
import { refuseTaken } from './checkout.ts'
import { COUPONS } from './coupons.ts'
import { decimalsAtChargebee } from './currencies.ts'
import { noSuch, wrongState } from './errors.ts'
import { chargeBack, refund, winChargeback } from './invoices.ts'
import { MONEY } from './objects/money.ts'
import { PORTAL_SECONDS, pageState, SELLING } from './objects/selling.ts'
import { DECLINED_CHANGE, INVOICE_IMMEDIATELY, pageOwn } from './own.ts'
import { discountsOfChange } from './plan-changes.ts'
import { collectAgain, reverse } from './reversals.ts'
import { DUNNING, renewals } from './rules.ts'
import { endNow, setCancelled } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

/** The path of hosted pages, before the page's id. */
const PAGES = '/pages/v3/'

const BILLING = billing({
  names: { page: 'hosted_page', payment: 'payment' },
  currencyDecimals: decimalsAtChargebee,
  checkout: {
    path: PAGES,
    admit: ({ chosenId }, _, context) => refuseTaken(context, chosenId, 409),
    successUrl: (page) => back(page, page.successUrl),
    leave(page) {
      page.own = { ...pageOwn(page), cancelled: true }
      return page.cancelUrl && back(page, page.cancelUrl)
    },
  },
  portal: { path: '/portal/v2/', lifetimeSeconds: PORTAL_SECONDS },
  end: (context, subscription) => endNow(context, subscription, 'invoice'),
  setCancelled,
  changePlan: changeInPortal,
  schedulePlan: scheduleChange,
  refund,
  // The duration of bank payments is UNVERIFIED.
  pendingSeconds: DAY_SECONDS,
  refundSeconds: DAY_SECONDS,
  renewals,
})

/**
 * Chargebee invoices the new price for the rest of the term, less the prorated credits of the old one
 * (chargebee.com/docs/2.0/proration.html). With the site's other setting it is an unbilled charge first. That a change of the term's
 * length is invoiced at once is UNVERIFIED.
 */
function changeInPortal(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  quantity = subscription.quantity,
): SubscriptionRecord {
  const isNow = INVOICE_IMMEDIATELY.read(context) || !isSamePeriodLength(price, subscription.price)
  return changePrice(context, subscription, price, `${isNow ? 'now' : 'with the next period'}, less the credit`, {
    quantity,
    discounts: discountsOfChange(subscription, price),
  })
}

/** Chargebee adds the page's id and state to the return URL. */
const back = (page: PageRecord, address: string) => withQuery(address, { id: page.id, state: pageState(page) })

const CHANGE_PAGES = findVisit('pages', UNKNOWN_CHECKOUT, (context, page, { path }) =>
  changePage(context, page, { path, back }),
)

/** Pages that sell, and those that change a subscription, have the same path. */
const VISITS = {
  ...BILLING.visits,
  ...receiptVisits((amount, currency) => formatMoney(amount, currency, decimalsAtChargebee(currency))),
  [PAGES]: {
    unknown: UNKNOWN_CHECKOUT,
    open: (...visit: Parameters<typeof CHANGE_PAGES.open>) =>
      CHANGE_PAGES.open(...visit) ?? BILLING.visits[PAGES]?.open(...visit) ?? null,
  },
}

/** At Chargebee a new term is charged at once. */
const { rollOver: _, ...OTHERS } = BILLING.controls

/**
 * A subscription with unpaid invoices can be paused: `invoice_dunning_handling` decides about these
 * (apidocs.chargebee.com/docs/api/subscriptions#pause_a_subscription).
 */
const CONTROLS = {
  ...OTHERS,
  pause: onSubscription((context, subscription) =>
    pauseSubscription(context, subscription, true, ['active', 'past_due']),
  ),
}

export const startChargebeeEmulator = createEmulator({
  name: 'chargebee',
  accountId: ({ apiKey }: ChargebeeAccount) => toAccountId(apiKey),
  newId: prefixedIds({
    customers: ['cbc_', 8],
    pages: ['', 24],
    subscriptions: ['cbs_', 8],
    invoices: [INVOICE_PREFIX, 6],
    payments: ['pay_', 8],
    attempts: ['txn_', 8],
    refunds: ['txn_', 8],
    disputes: ['txn_', 8],
    portalSessions: ['portal_', 16],
    events: ['ev_', 10],
  }),
  noSuch,
  refuse: wrongState,
  api: API,
  webhookFormat: WEBHOOK_FORMAT,
  views: { ...SELLING, ...MONEY },
  ...BILLING,
  visits: VISITS,
  about: { path: '/api/v2', credential: 'API key' },
  controls: {
    ...CONTROLS,
    /** The payer's bank reverses a payment, on a site that then removes it from its invoice. */
    dispute: onRecord('payment', 'payments', {}, (context, payment) =>
      context.show('disputes', reverse(context, payment)),
    ),
    collectAgain: changing('payment', 'payments', collectAgain),
    /** A chargeback, on a site that creates a credit note and records a refund for it. */
    chargeback: onRecord('payment', 'payments', {}, (context, payment) =>
      context.show('refunds', chargeBack(context, payment)),
    ),
    /** The seller wins a chargeback: its credit note and refund are voided. That is UNVERIFIED. */
    winChargeback: changing('refund', 'refunds', winChargeback),
    /** The customer changes the plan in the portal, at the end of the term. */
    schedulePlan: planControl(scheduleChange),
    /** The customer changes the quantity in the portal, or the seller in the dashboard. */
    changeQuantity: quantityControl(changeInPortal),
    unschedulePlan: onSubscription((context, subscription) => scheduleChange(context, subscription, null)),
    /** Sets the site's rate limit. */
    setRateLimit: RATE_LIMIT.control,
    setCoupons: COUPONS.control,
    enablePortal: PORTAL.control,
    setDunning: DUNNING.control,
    setInvoiceImmediately: INVOICE_IMMEDIATELY.control,
    setDeclinedChange: DECLINED_CHANGE.control,
  },
  lists: { hostedPages: 'pages', subscriptions: 'subscriptions', payments: 'payments' },
})

/** A local Chargebee: its API for the official SDK, checkout and portal pages for people, webhooks for the service. */
export type ChargebeeEmulator = Awaited<ReturnType<typeof startChargebeeEmulator>>
