import { randomUUID } from 'node:crypto'
import { html } from 'hono/html'
import { decimalsOf } from '../../../lib/money/money.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { salesDue } from '../core/domain/dues.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import type { EmulatorFor, EmulatorOptions } from '../core/emulator.ts'
import { hostedCheckout, UNKNOWN_CHECKOUT } from '../core/pages/hosted-checkout.ts'
import { portalVisit } from '../core/pages/hosted-portal.ts'
import { formatMoney } from '../core/pages/layout.ts'
import { type HostedPage, visitOf } from '../core/pages/visits.ts'
import type { Processor } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { startEmulator } from '../core/start.ts'
import { idOfToken, type PolarAccount } from './accounts.ts'
import { API } from './api.ts'
import { identifyPayer, isRefusedAsSecond } from './checkouts.ts'
import { CONTROLS } from './controls.ts'
import { forbidden, noSuch } from './errors.ts'
import { checkoutObject } from './objects/checkout.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { PORTAL_SECONDS, RENEWALS } from './rules.ts'
import { cancel, uncancel } from './subscriptions.ts'
import { type PolarEvent, TELLING } from './telling.ts'

/** How long a payment that takes its time is on its way: UNVERIFIED. */
const SLOW_PAYMENT_SECONDS = 12 * 3600

const money = (amount: number, currency: string) => formatMoney(amount, currency, decimalsOf(currency.toUpperCase()))

/** The page of a checkout: whoever pays becomes, or is already, the customer with that address. */
function hostedPage(context: AccountContext, page: PageRecord, request: HttpRequest): HostedPage {
  return hostedCheckout(context, page, request, {
    money,
    // Polar adds a token for its own portal to the address.
    successUrl: ({ successUrl, id }) => withToken(successUrl.replaceAll('{CHECKOUT_ID}', id), id),
    admit(_, email) {
      identifyPayer(context, page, email)
      if (isRefusedAsSecond(context, page)) throw forbidden('NotPermitted', 'You already have an active subscription.')
    },
  })
}

function withToken(address: string, id: string): string {
  const url = new URL(address)
  url.searchParams.set('customer_session_token', `polar_cst_${id}`)
  return url.href
}

const POLAR = {
  name: 'polar',
  title: 'Polar',
  accountOf: ({ accessToken }: PolarAccount) => idOfToken(accessToken),
  newId: () => randomUUID(),
  noSuch,
  refuse: (message) => forbidden('NotPermitted', message),
  api: API,
  telling: TELLING,
  visits: {
    '/checkout/polar_c_': visitOf('pages', UNKNOWN_CHECKOUT, hostedPage),
    '/portal/polar_cst_': portalVisit({ money, lifetimeSeconds: PORTAL_SECONDS, cancel, undo: uncancel }),
  },
  duesOf: salesDue({ pendingSeconds: SLOW_PAYMENT_SECONDS, renewals: RENEWALS }),
  about: html`Polar's API answers under <code>/v1</code>, to the official SDK and the access token of a paywall file. A
        checkout's page is at the <code>checkoutUrl</code> that start-checkout answers.`,
  example: `curl -d '{"subscription":"5f3c…"}' …/_emulator/renew`,
  controls: CONTROLS,
  lists: {
    checkouts: { path: 'checkouts', table: 'pages', show: checkoutObject },
    subscriptions: { path: 'subscriptions', table: 'subscriptions', show: subscriptionObject },
  },
  /** While `slowRefunds` is on, a refund is pending at first. */
  switches: ['slowRefunds'],
} satisfies Processor<PolarAccount, PolarEvent, unknown, typeof CONTROLS, string, string>

/** A local Polar: its API for the official SDK, hosted checkout and portal pages for people, signed webhooks for the service. */
export type PolarEmulator = EmulatorFor<typeof POLAR>

export const startPolarEmulator = (options: EmulatorOptions<PolarAccount>): Promise<PolarEmulator> =>
  startEmulator(POLAR, options)
