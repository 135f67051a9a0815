import { billing } from '../core/billing.ts'
import { onRecord } from '../core/controls/controls.ts'
import type { RenewalRules } from '../core/domain/dues.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { endSubscription } from '../core/domain/subscriptions.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import { PORTAL } from '../core/pages/hosted-portal.ts'
import { withQuery } from '../core/pages/html-responses.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import { emulatorOf } from '../core/start.ts'
import { type ChargebeeAccount, idOfKey } from './accounts.ts'
import { API } from './api.ts'
import { INVOICE_PREFIX } from './bills.ts'
import { refuseTaken } from './checkout.ts'
import { decimalsAtChargebee } from './currencies.ts'
import { noSuch, wrongState } from './errors.ts'
import { chargeBack, refund } from './invoices.ts'
import { MONEY } from './objects/money.ts'
import { PORTAL_SECONDS, SELLING, stateOf } from './objects/selling.ts'
import { pageOwn } from './own.ts'
import { setCancelled } from './subscriptions.ts'
import { TELLING } from './telling.ts'

/**
 * How long after a failed charge the next one follows, and that the subscription is cancelled after the last: that is the
 * site's own setting for dunning; these are the emulator's. A term's invoice is charged when the term begins.
 */
const RENEWALS: RenewalRules = {
  trialNotice: 3 * DAY_SECONDS,
  draft: null,
  retries: [2, 3, 3].map((days) => days * DAY_SECONDS),
  incomplete: 2 * DAY_SECONDS,
  chargesIncomplete: true,
}

const BILLING = billing({
  names: { page: 'hosted_page', payment: 'payment' },
  decimalsOf: decimalsAtChargebee,
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
  end: endSubscription,
  setCancelled,
  refund,
  pendingSeconds: DAY_SECONDS,
  refundSeconds: DAY_SECONDS,
  renewals: RENEWALS,
})

/** Chargebee names the page and its state to the address that the browser goes back to. */
const back = (page: PageRecord, address: string) => withQuery(address, { id: page.id, state: stateOf(page) })

/** A new term and its charge are one step at Chargebee. */
const { rollOver: _, ...CONTROLS } = BILLING.controls

export const startChargebeeEmulator = emulatorOf({
  name: 'chargebee',
  accountOf: ({ apiKey }: ChargebeeAccount) => idOfKey(apiKey),
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
  telling: TELLING,
  views: { ...SELLING, ...MONEY },
  ...BILLING,
  about: { path: '/api/v2', credential: 'API key' },
  controls: {
    ...CONTROLS,
    /** A chargeback, on a site that is set up to make a credit note of it and to record a refund. */
    chargeback: onRecord('payment', 'payments', {}, (context, payment) =>
      context.show('refunds', chargeBack(context, payment)),
    ),
    enablePortal: PORTAL.control,
  },
  lists: { hostedPages: 'pages', subscriptions: 'subscriptions', payments: 'payments' },
})

/** A local Chargebee: its API for the official SDK, checkout and portal pages for people, webhooks for the service. */
export type ChargebeeEmulator = Awaited<ReturnType<typeof startChargebeeEmulator>>
