import * as z from 'zod'
import { suspendSubscription } from '../domain/mandates.ts'
import { expirePayment, payPaymentLater, refusePaymentUnless, resolvePaymentOfPage } from '../domain/payment-pages.ts'
import { closeDispute, endRefund, isReversed, openDispute, stepRefund } from '../domain/reversals.ts'
import { onSubscription } from './billing-controls.ts'
import { changing, deciding, onRecord } from './controls.ts'

/** The controls of every processor with payment pages and mandates. */
export const PAYMENT_CONTROLS = {
  /** Completes the page of an open payment, which is `pending` until `resolvePayment`. */
  payLater: changing('payment', 'payments', payPaymentLater),
  /** Completes a pending payment or a bank transfer, or fails it with `fail`. */
  resolvePayment: deciding('payment', 'payments', resolvePaymentOfPage),
  /** Closes the page of an open payment. */
  expire: changing('payment', 'payments', expirePayment),
  /** Moves a slow refund one step along `queued`, `pending`, `processing`, `refunded`, or fails it. */
  stepRefund: deciding('refund', 'refunds', stepRefund),
  /** The payer's bank returns a completed refund: the seller gets the money back. */
  failRefund: changing('refund', 'refunds', (context, refund) => endRefund(context, refund, 'failed')),
  /**
   * The payer's bank charges the payment back, with a bank's code such as `AC01` for a bounced direct debit. Shows the
   * chargeback.
   */
  chargeback: onRecord('payment', 'payments', { code: z.string().optional() }, (context, payment, { code = null }) => {
    refusePaymentUnless(context, payment, 'paid')
    if (isReversed(context, payment)) throw context.refuse(`Payment ${payment.id} is already charged back.`)
    return context.show('disputes', openDispute(context, payment, { own: { code } }))
  }),
  /** The payer's bank reverses a chargeback: the seller gets the money back. */
  reverseChargeback: changing('chargeback', 'disputes', (context, chargeback) =>
    closeDispute(context, chargeback, true),
  ),
  /** Invalidates the mandate: the subscription is `suspended` and has no next payment date. */
  suspend: onSubscription(suspendSubscription),
}
