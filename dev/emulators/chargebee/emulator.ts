import { billing } from '../core/billing.ts'
import { onSubscription, planControl } from '../core/controls/billing-controls.ts'
import { changing, onRecord } from '../core/controls/controls.ts'
import { dunningRules, dunningSetting } from '../core/controls/dunning.ts'
import type { RenewalRulesFor } from '../core/domain/dues.ts'
import { changePrice, isAsLong, scheduleChange } from '../core/domain/plan-changes.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { pauseSubscription } from '../core/domain/subscriptions.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import { PORTAL } from '../core/pages/hosted-portal.ts'
import { withQuery } from '../core/pages/html-responses.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import { createEmulator } from '../core/start.ts'
import { type ChargebeeAccount, toAccountId } from './accounts.ts'
import { API, RATE_LIMIT } from './api.ts'
import { INVOICE_PREFIX } from './bills.ts'
import { refuseTaken } from './checkout.ts'
import { decimalsAtChargebee } from './currencies.ts'
import { noSuch, wrongState } from './errors.ts'
import { chargeBack, refund, winChargeback } from './invoices.ts'
import { MONEY } from './objects/money.ts'
import { PORTAL_SECONDS, pageState, SELLING } from './objects/selling.ts'
import { INVOICE_IMMEDIATELY, pageOwn } from './own.ts'
import { collectAgain, reverse } from './reversals.ts'
import { endNow, setCancelled } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

/**
 * How often a failed charge is repeated, and what becomes of the subscription after the last retry, is the site's own setting
 * (chargebee.com/docs/2.0/dunning-v2.html): it is cancelled, or stays active with an invoice that is `not_paid`. The days are the
 * emulator's: UNVERIFIED.
 */
const DUNNING = dunningSetting({ retryDays: [2, 5, 7], finally: 'cancel' })

/**
 * A term's invoice is charged when the term begins, also while those before are in dunning: "the subscription remains Active throughout
 * the dunning process" (chargebee.com/docs/1.0/subscriptions/articles-and-faq/subscription-status-as-active-when-payment-failed-on-renewal.html).
 * When a trial's end is announced is the site's own setting. Three days are the emulator's, and when a first payment that has not arrived
 * is tried again: UNVERIFIED.
 */
const renewals: RenewalRulesFor = (context) => ({
  trialNotice: 3 * DAY_SECONDS,
  draft: null,
  incomplete: 2 * DAY_SECONDS,
  chargesIncomplete: true,
  recoversBy: 'all',
  ...dunningRules(DUNNING.read(context)),
})

const BILLING = billing({
  names: { page: 'hosted_page', payment: 'payment' },
  currencyDecimals: decimalsAtChargebee,
  checkout: {
    path: '/pages/v3/',
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
  // Chargebee makes an invoice of the new price for the rest of the term, which the prorated credits of the old one pay first
  // (chargebee.com/docs/2.0/proration.html). With the site's other setting it is an unbilled charge first. That a change of the length
  // of the term is invoiced at once is UNVERIFIED.
  changePlan: (context, subscription, price) => {
    const isNow = INVOICE_IMMEDIATELY.read(context) || !isAsLong(price, subscription.price)
    return changePrice(context, subscription, price, `${isNow ? 'now' : 'with the next period'}, less the credit`)
  },
  schedulePlan: scheduleChange,
  refund,
  // How long a bank takes is UNVERIFIED.
  pendingSeconds: DAY_SECONDS,
  refundSeconds: DAY_SECONDS,
  renewals,
})

/** Chargebee names the page and its state to the address that the browser goes back to. */
const back = (page: PageRecord, address: string) => withQuery(address, { id: page.id, state: pageState(page) })

/** A new term and its charge are one step at Chargebee. */
const { rollOver: _, ...OTHERS } = BILLING.controls

/**
 * What is owed is no obstacle to a pause: `invoice_dunning_handling` says what becomes of it
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
  about: { path: '/api/v2', credential: 'API key' },
  controls: {
    ...CONTROLS,
    /** The payer's bank takes a payment back, on a site that removes it from its invoice then. */
    dispute: onRecord('payment', 'payments', {}, (context, payment) =>
      context.show('disputes', reverse(context, payment)),
    ),
    collectAgain: changing('payment', 'payments', collectAgain),
    /** A chargeback, on a site that is set up to make a credit note of it and to record a refund. */
    chargeback: onRecord('payment', 'payments', {}, (context, payment) =>
      context.show('refunds', chargeBack(context, payment)),
    ),
    /** The seller wins it: its credit note is voided, and so is the refund. That is UNVERIFIED. */
    winChargeback: changing('refund', 'refunds', winChargeback),
    /** The customer changes the plan in the portal, with the end of the term. */
    schedulePlan: planControl(scheduleChange),
    unschedulePlan: onSubscription((context, subscription) => scheduleChange(context, subscription, null)),
    /** How many calls the site takes. */
    setRateLimit: RATE_LIMIT.control,
    enablePortal: PORTAL.control,
    setDunning: DUNNING.control,
    setInvoiceImmediately: INVOICE_IMMEDIATELY.control,
  },
  lists: { hostedPages: 'pages', subscriptions: 'subscriptions', payments: 'payments' },
})

/** A local Chargebee: its API for the official SDK, checkout and portal pages for people, webhooks for the service. */
export type ChargebeeEmulator = Awaited<ReturnType<typeof startChargebeeEmulator>>
