import { html } from 'hono/html'
import type { AccountContext } from '../core/domain/context.ts'
import { pendingPaymentsDue, refundsDue } from '../core/domain/dues.ts'
import { chargesOnMandatesDue, openPaymentsDue } from '../core/domain/mandate-charges.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { resolvePaymentOfPage } from '../core/domain/payment-pages.ts'
import { prefixedIds } from '../core/domain/tables.ts'
import { hostedPayment } from '../core/pages/hosted-payment.ts'
import { findVisit } from '../core/pages/visits.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import { createEmulator } from '../core/start.ts'
import { type MollieAccount, toAccountId } from './accounts.ts'
import { money } from './amounts.ts'
import { API } from './api.ts'
import { CONTROLS } from './controls.ts'
import { noSuch, unprocessable } from './errors.ts'
import { customerObject, mandateObject, subscriptionObject } from './objects/customer.ts'
import { chargebackObject, paymentObject, refundObject } from './objects/payment.ts'
import { paymentOwn } from './own.ts'
import { bouncesDue, chargeOrBounce } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

const UNKNOWN = { title: 'Nothing to pay here', text: 'This payment does not exist. Check the address.' }

const HINT = html`As at Mollie, a second attempt requires a new payment. For pending payments and bank transfers, the local
          world's home has a button to complete them.`

export const startMollieEmulator = createEmulator({
  name: 'mollie',
  accountId: ({ apiKey }: MollieAccount) => toAccountId(apiKey),
  newId: prefixedIds({
    customers: ['cst_', 6],
    mandates: ['mdt_', 6],
    subscriptions: ['sub_', 6],
    payments: ['tr_', 8],
    refunds: ['re_', 6],
    disputes: ['chb_', 6],
    events: ['event_', 12],
  }),
  noSuch,
  refuse: unprocessable,
  api: API,
  webhookFormat: WEBHOOK_FORMAT,
  views: {
    customers: customerObject,
    mandates: mandateObject,
    subscriptions: subscriptionObject,
    payments: paymentObject,
    refunds: refundObject,
    disputes: chargebackObject,
  },
  visits: { '/checkout/': findVisit('payments', UNKNOWN, paymentPage) },
  listDues: (context) => [
    ...openPaymentsDue(context),
    ...chargesOnMandatesDue(context, chargeOrBounce),
    ...bouncesDue(context),
    // The durations of bank payments and of refund steps are UNVERIFIED.
    ...pendingPaymentsDue(context, DAY_SECONDS, resolvePaymentOfPage),
    ...refundsDue(context, DAY_SECONDS),
  ],
  about: { path: '/v2', credential: 'API key' },
  controls: CONTROLS,
  lists: { payments: 'payments', subscriptions: 'subscriptions' },
  /**
   * `slowMandates`: new mandates are `pending`, and no subscription can be created on them. `pendingMandates`: it can, and is
   * `pending` as long as its mandate. `slowRefunds`: a refund is `queued` at first. `slowCharges`: a recurring payment is `pending` at
   * first, also by card.
   */
  switches: ['slowMandates', 'pendingMandates', 'slowRefunds', 'slowCharges'],
})

/** Mollie redirects the payer to `redirectUrl` whatever the outcome, except to `cancelUrl`, if set, after a cancel. */
function paymentPage(context: AccountContext, payment: PaymentRecord) {
  const { sequenceType, redirectUrl, cancelUrl } = paymentOwn(payment)
  return hostedPayment(context, payment, {
    money,
    hint: HINT,
    terms: sequenceType === 'first' ? 'You allow the seller to charge you again later' : 'One-time payment',
    back: () => (payment.status === 'canceled' ? cancelUrl : null) ?? redirectUrl ?? '/',
  })
}

/** A local Mollie: its API for the official SDK, hosted checkout pages for people, signed webhooks for the service. */
export type MollieEmulator = Awaited<ReturnType<typeof startMollieEmulator>>
