import { suspendSubscription } from '../domain/mandates.ts'
import { expirePayment, payPaymentLater, refusePaymentUnless, resolvePaymentOfPage } from '../domain/payment-pages.ts'
import { closeDispute, isReversed, openDispute, stepRefund } from '../domain/reversals.ts'
import { ofSubscription } from './billing-controls.ts'
import { fails, onRecord } from './controls.ts'

/** What can be made happen at every processor that sells on pages of payments, and charges on mandates. */
export const PAYMENT_CONTROLS = {
  /** Completes an open payment's page before its money has arrived: it is `pending` until `resolvePayment`. */
  payLater: onRecord('payment', 'payments', {}, (context, payment) =>
    context.show('payments', payPaymentLater(context, payment)),
  ),
  /** The money of a pending payment, or of a bank transfer, arrives; with `fail` it does not. */
  resolvePayment: onRecord('payment', 'payments', fails, (context, payment, { fail }) =>
    context.show('payments', resolvePaymentOfPage(context, payment, !fail)),
  ),
  /** Closes the page of an open payment. */
  expire: onRecord('payment', 'payments', {}, (context, payment) =>
    context.show('payments', expirePayment(context, payment)),
  ),
  /** A slow refund takes its next step, from `queued` over `pending` and `processing` to `refunded`, or fails. */
  stepRefund: onRecord('refund', 'refunds', fails, (context, refund, { fail }) =>
    context.show('refunds', stepRefund(context, refund, fail)),
  ),
  /** The payer's bank takes the payment back. Shows the chargeback. */
  chargeback: onRecord('payment', 'payments', {}, (context, payment) => {
    refusePaymentUnless(context, payment, 'paid')
    if (isReversed(context, payment)) throw context.refuse(`Payment ${payment.id} is charged back already.`)
    return context.show('disputes', openDispute(context, payment))
  }),
  /** The payer's bank takes a chargeback back: the money is the seller's again. */
  reverseChargeback: onRecord('chargeback', 'disputes', {}, (context, chargeback) =>
    context.show('disputes', closeDispute(context, chargeback, true)),
  ),
  /** The mandate becomes invalid: the subscription is `suspended` and has no next payment date. */
  suspend: ofSubscription(suspendSubscription),
}
