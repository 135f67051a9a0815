import type { AccountContext } from '../domain/context.ts'
import { suspendSubscription } from '../domain/mandates.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../domain/money-records.ts'
import { expirePayment, payPaymentLater, refusePaymentUnless, resolvePaymentOfPage } from '../domain/payment-pages.ts'
import { closeDispute, isReversed, openDispute, stepRefund } from '../domain/reversals.ts'
import type { SubscriptionRecord } from '../domain/selling-records.ts'
import { fails, onRecord } from './controls.ts'

type Show<Record> = (record: Record, context: AccountContext) => { id: string }

/** How a processor that sells on pages of payments, and charges on mandates, shows records. */
interface Shows {
  payment: Show<PaymentRecord>
  refund: Show<RefundRecord>
  chargeback: Show<DisputeRecord>
  subscription: Show<SubscriptionRecord>
}

/** What can be made happen at every processor of that kind. */
export const paymentControls = (show: Shows) => ({
  /** Completes an open payment's page before its money has arrived: it is `pending` until `resolvePayment`. */
  payLater: onRecord('payment', 'payments', {}, (context, payment) =>
    show.payment(payPaymentLater(context, payment), context),
  ),
  /** The money of a pending payment, or of a bank transfer, arrives; with `fail` it does not. */
  resolvePayment: onRecord('payment', 'payments', fails, (context, payment, { fail }) =>
    show.payment(resolvePaymentOfPage(context, payment, !fail), context),
  ),
  /** Closes the page of an open payment. */
  expire: onRecord('payment', 'payments', {}, (context, payment) =>
    show.payment(expirePayment(context, payment), context),
  ),
  /** A slow refund takes its next step, from `queued` over `pending` and `processing` to `refunded`, or fails. */
  stepRefund: onRecord('refund', 'refunds', fails, (context, refund, { fail }) =>
    show.refund(stepRefund(context, refund, fail), context),
  ),
  /** The payer's bank takes the payment back. Shows the chargeback. */
  chargeback: onRecord('payment', 'payments', {}, (context, payment) => {
    refusePaymentUnless(context, payment, 'paid')
    if (isReversed(context, payment)) throw context.refuse(`Payment ${payment.id} is charged back already.`)
    return show.chargeback(openDispute(context, payment), context)
  }),
  /** The payer's bank takes a chargeback back: the money is the seller's again. */
  reverseChargeback: onRecord('chargeback', 'disputes', {}, (context, chargeback) =>
    show.chargeback(closeDispute(context, chargeback, true), context),
  ),
  /** The mandate becomes invalid: the subscription is `suspended` and has no next payment date. */
  suspend: onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
    show.subscription(suspendSubscription(context, subscription), context),
  ),
})
