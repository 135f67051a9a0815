import { html } from 'hono/html'
import type { AccountContext } from '../core/domain/context.ts'
import { type RenewalRules, salesDue } from '../core/domain/dues.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import type { EmulatorFor, EmulatorOptions } from '../core/emulator.ts'
import { hostedCheckout, UNKNOWN_CHECKOUT } from '../core/pages/hosted-checkout.ts'
import { portalVisit } from '../core/pages/hosted-portal.ts'
import { type HostedPage, visitOf } from '../core/pages/visits.ts'
import type { Processor } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { startEmulator } from '../core/start.ts'
import { type ChargebeeAccount, idOfKey } from './accounts.ts'
import { API } from './api.ts'
import { INVOICE_PREFIX } from './bills.ts'
import { CONTROLS, paymentView } from './controls.ts'
import { money } from './currencies.ts'
import { noSuch, wrongState } from './errors.ts'
import { hostedPageObject, stateOf } from './objects/hosted-page.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { pageOwn } from './own.ts'
import { PORTAL_SECONDS } from './routes.ts'
import { cancelAtEnd, undoCancel } from './subscriptions.ts'
import { TELLING } from './telling.ts'

const DAY_SECONDS = 24 * 3600

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

const CHARGEBEE = {
  name: 'chargebee',
  title: 'Chargebee',
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
  visits: {
    '/pages/v3/': visitOf('pages', UNKNOWN_CHECKOUT, checkoutPage),
    '/portal/v2/': portalVisit({ money, lifetimeSeconds: PORTAL_SECONDS, cancel: cancelAtEnd, undo: undoCancel }),
  },
  duesOf: salesDue({ pendingSeconds: DAY_SECONDS, refundSeconds: DAY_SECONDS, renewals: RENEWALS }),
  about: html`Chargebee's API answers under <code>/api/v2</code>, to the official SDK and the API key of a paywall file, whatever
        the site. A checkout's page is at the <code>checkoutUrl</code> that start-checkout answers.`,
  example: `curl -d '{"subscription":"…"}' …/_emulator/renew`,
  controls: CONTROLS,
  lists: {
    hostedPages: { path: 'hosted-pages', table: 'pages', show: hostedPageObject },
    subscriptions: { path: 'subscriptions', table: 'subscriptions', show: subscriptionObject },
    payments: { path: 'payments', table: 'payments', show: paymentView },
  },
  switches: ['slowRefunds'],
} satisfies Processor<ChargebeeAccount, { id: string }, object, typeof CONTROLS, string, string>

/** Chargebee names the page and its state to the address that the browser goes back to. */
function checkoutPage(context: AccountContext, page: PageRecord, request: HttpRequest): HostedPage {
  const back = (address: string) => {
    const url = new URL(address)
    url.searchParams.set('id', page.id)
    url.searchParams.set('state', stateOf(page))
    return url.href
  }
  const successUrl = (done: PageRecord) => back(done.successUrl)
  const shown = hostedCheckout(context, page, request, { money, successUrl })
  const taken = context.records.subscriptions.has(page.chosenIds.subscription ?? '')
  if (page.status === 'open' && taken) {
    return { ...shown, closed: { title: 'Already bought', text: 'This subscription exists. Nothing was paid.' } }
  }
  const leave = () => {
    page.own = { ...pageOwn(page), cancelled: true }
    return page.cancelUrl === null ? { status: 200, problem: 'There is no way back.' } : { to: back(page.cancelUrl) }
  }
  return { ...shown, press: { ...shown.press, cancel: leave } }
}

/** A local Chargebee: its API for the official SDK, checkout and portal pages for people, webhooks for the service. */
export type ChargebeeEmulator = EmulatorFor<typeof CHARGEBEE>

export const startChargebeeEmulator = (options: EmulatorOptions<ChargebeeAccount>): Promise<ChargebeeEmulator> =>
  startEmulator(CHARGEBEE, options)
