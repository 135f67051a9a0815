import { html } from 'hono/html'
import { type AccountContext, all } from '../core/domain/context.ts'
import { type Due, declines, pendingPaymentsDue, refundsDue } from '../core/domain/dues.ts'
import type { Kind } from '../core/domain/records.ts'
import { newId } from '../core/domain/tables.ts'
import type { EmulatorFor } from '../core/emulator.ts'
import { visitOf } from '../core/pages/visits.ts'
import type { Processor } from '../core/processor.ts'
import { idOfKey, type MollieAccount } from './accounts.ts'
import { API } from './api.ts'
import { CONTROLS } from './controls.ts'
import { noSuch, unprocessable } from './errors.ts'
import { hostedPayment } from './hosted-payment.ts'
import type { MollieEvent } from './objects/event.ts'
import { paymentObject } from './objects/payment.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { expireIfOver, resolvePayment } from './payments.ts'
import { renewSubscription, statusOf } from './subscriptions.ts'
import { TELLING } from './telling.ts'

const DAY_SECONDS = 24 * 3600

const PREFIXES: Partial<Record<Kind, [prefix: string, bytes?: number]>> = {
  customers: ['cst_', 6],
  mandates: ['mdt_', 6],
  subscriptions: ['sub_', 6],
  payments: ['tr_', 8],
  refunds: ['re_', 6],
  disputes: ['chb_', 6],
  events: ['event_', 12],
}

const MOLLIE_ABOUT = html`Mollie's API answers under <code>/v2</code>, to the official SDK and the API key of a paywall
        file. A payment's page is at the <code>checkoutUrl</code> that start-checkout answers.`

export const MOLLIE = {
  name: 'mollie',
  title: 'Mollie',
  accountOf: ({ apiKey }: MollieAccount) => idOfKey(apiKey),
  newId: (kind: Kind) => newId(...(PREFIXES[kind] ?? [''])),
  noSuch,
  refuse: unprocessable,
  api: API,
  telling: TELLING,
  visits: {
    '/checkout/': visitOf(
      'payments',
      { title: 'Nothing to pay here', text: 'This payment does not exist. Check the address.' },
      hostedPayment,
    ),
  },
  duesOf: (context: AccountContext): Due[] => [
    ...openPaymentsDue(context),
    ...renewalsDue(context),
    ...pendingPaymentsDue(context, DAY_SECONDS, resolvePayment),
    ...refundsDue(context, DAY_SECONDS),
  ],
  about: MOLLIE_ABOUT,
  example: `curl -d '{"subscription":"sub_…"}' …/_emulator/renew`,
  controls: CONTROLS,
  lists: {
    payments: { path: 'payments', table: 'payments', show: paymentObject },
    subscriptions: { path: 'subscriptions', table: 'subscriptions', show: subscriptionObject },
  },
  /**
   * While `slowMandates` is on, the mandates made since are `pending`, and no subscription can be created on them;
   * `pendingMandates`: it can, and is `pending` as long as its mandate is. While `slowRefunds` is on, a refund is
   * `queued` at first.
   */
  switches: ['slowMandates', 'pendingMandates', 'slowRefunds'],
} satisfies Processor<MollieAccount, MollieEvent, unknown, typeof CONTROLS, 'payments' | 'subscriptions', MollieSwitch>

type MollieSwitch = 'slowMandates' | 'pendingMandates' | 'slowRefunds'

const openPaymentsDue = (context: AccountContext): Due[] =>
  all(context, 'payments').flatMap((payment) =>
    payment.status === 'open' && payment.expiresAt !== null
      ? [{ at: payment.expiresAt, byItself: true, run: (then) => expireIfOver(then, payment) }]
      : [],
  )

/** Subscriptions go on also after a charge that failed. */
const renewalsDue = (context: AccountContext): Due[] =>
  all(context, 'subscriptions')
    .filter((subscription) => statusOf(context, subscription) === 'active')
    .map((subscription) => ({
      at: subscription.periodEnd,
      run: (then) => renewSubscription(then, subscription, declines(then, subscription.customer) ? 'failed' : 'paid'),
    }))

/** A local Mollie: its API for the official SDK, hosted checkout pages for people, signed webhooks for the service. */
export type MollieEmulator = EmulatorFor<typeof MOLLIE>
