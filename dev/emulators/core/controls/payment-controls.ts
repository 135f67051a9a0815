import * as z from 'zod'
import { suspendSubscription } from '../domain/mandates.ts'
import { expirePayment, payPaymentLater, refusePaymentUnless, resolvePaymentOfPage } from '../domain/payment-pages.ts'
import { closeDispute, endRefund, isReversed, openDispute, stepRefund } from '../domain/reversals.ts'
import { ofSubscription } from './billing-controls.ts'
import { changing, deciding, onRecord } from './controls.ts'

/** What can be made happen at every processor that sells on pages of payments, and charges on mandates. */
export const PAYMENT_CONTROLS = {
  /** Completes an open payment's page before its money has arrived: it is `pending` until `resolvePayment`. */
  payLater: changing('payment', 'payments', payPaymentLater),
  /** The money of a pending payment, or of a bank transfer, arrives; with `fail` it does not. */
  resolvePayment: deciding('payment', 'payments', resolvePaymentOfPage),
  /** Closes the page of an open payment. */
  expire: changing('payment', 'payments', expirePayment),
  /** A slow refund takes its next step, from `queued` over `pending` and `processing` to `refunded`, or fails. */
  stepRefund: deciding('refund', 'refunds', stepRefund),
  /** A refund that was made is sent back by the payer's bank: its money is the seller's again. */
  failRefund: changing('refund', 'refunds', (context, refund) => endRefund(context, refund, 'failed')),
  /**
   * The payer's bank takes the payment back: with the code of a bank, such as `AC01`, if a direct debit bounced. Shows the
   * chargeback.
   */
  chargeback: onRecord('payment', 'payments', { code: z.string().optional() }, (context, payment, { code = null }) => {
    refusePaymentUnless(context, payment, 'paid')
    if (isReversed(context, payment)) throw context.refuse(`Payment ${payment.id} is charged back already.`)
    return context.show('disputes', openDispute(context, payment, { own: { code } }))
  }),
  /** The payer's bank takes a chargeback back: the money is the seller's again. */
  reverseChargeback: changing('chargeback', 'disputes', (context, chargeback) =>
    closeDispute(context, chargeback, true),
  ),
  /** The mandate becomes invalid: the subscription is `suspended` and has no next payment date. */
  suspend: ofSubscription(suspendSubscription),
}
