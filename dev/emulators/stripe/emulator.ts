import { html } from 'hono/html'
import { resolvePayment } from '../core/domain/checkout.ts'
import { pagesDue, pendingPaymentsDue, subscriptionsDue } from '../core/domain/dues.ts'
import type { Kind } from '../core/domain/records.ts'
import { newId } from '../core/domain/tables.ts'
import type { EmulatorFor, EmulatorOptions } from '../core/emulator.ts'
import { hostedCheckout, UNKNOWN_CHECKOUT } from '../core/pages/hosted-checkout.ts'
import { portalVisit } from '../core/pages/hosted-portal.ts'
import { visitOf } from '../core/pages/visits.ts'
import type { Processor } from '../core/processor.ts'
import { startEmulator } from '../core/start.ts'
import { idOfKey, type StripeAccount } from './accounts.ts'
import { API } from './api.ts'
import { CONTROLS } from './controls.ts'
import { money } from './currencies.ts'
import { noSuch, refused } from './errors.ts'
import { VIEWS } from './objects/views.ts'
import { DEBIT_SECONDS, PORTAL_SECONDS, RENEWALS } from './rules.ts'
import { cancelInPortal, resumeInPortal } from './subscriptions.ts'
import { TELLING } from './telling.ts'

const PREFIXES: Partial<Record<Kind, [prefix: string, bytes?: number]>> = {
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
}

const HINT = html`This is an emulator: it asks for no card and moves no money. Pay succeeds at once. Decline the card
          does what a bank does that refuses the payment. Cancel goes back to the seller and leaves this page open. A
          debit that is on its way arrives or fails with <code>POST /_emulator/resolve-payment</code>, a subscription's
          with <code>POST /_emulator/renew</code>.`

export const STRIPE = {
  name: 'stripe',
  title: 'Stripe',
  accountOf: ({ secretKey }: StripeAccount) => idOfKey(secretKey),
  newId: (kind: Kind) => newId(...(PREFIXES[kind] ?? [''])),
  noSuch,
  refuse: (message) => refused('invalid', { message }),
  api: API,
  telling: TELLING,
  visits: {
    '/c/pay/': visitOf('pages', UNKNOWN_CHECKOUT, (context, page, request) => {
      const successUrl = page.successUrl.replaceAll('{CHECKOUT_SESSION_ID}', page.id)
      return hostedCheckout(context, page, request, { money, successUrl: () => successUrl, hint: HINT })
    }),
    '/p/session/': portalVisit({
      money,
      lifetimeSeconds: PORTAL_SECONDS,
      cancel: cancelInPortal,
      undo: resumeInPortal,
    }),
  },
  duesOf: (context) => [
    ...pagesDue(context),
    ...pendingPaymentsDue(context, DEBIT_SECONDS, resolvePayment),
    ...subscriptionsDue(context, RENEWALS),
  ],
  about: html`Stripe's API answers under <code>/v1</code>, to the official SDK and the secret key of a paywall
        file. A checkout's page is at the <code>checkoutUrl</code> that start-checkout answers.`,
  example: `curl -d '{"subscription":"sub_…"}' …/_emulator/renew`,
  controls: CONTROLS,
  lists: {
    checkoutSessions: { path: 'sessions', table: 'pages', show: VIEWS.pages },
    subscriptions: { path: 'subscriptions', table: 'subscriptions', show: VIEWS.subscriptions },
  },
  switches: ['slowRefunds'],
} satisfies Processor<StripeAccount, object, object, typeof CONTROLS, string, string>

/** A local Stripe: its API for the official SDK, checkout and portal pages for people, signed webhooks for the service. */
export type StripeEmulator = EmulatorFor<typeof STRIPE>

export const startStripeEmulator = (options: EmulatorOptions<StripeAccount>): Promise<StripeEmulator> =>
  startEmulator(STRIPE, options)
