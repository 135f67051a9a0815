import * as z from 'zod'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { closeDispute, stepRefund } from '../core/domain/reversals.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { expireIfOver, finish, payLater, refuseUnless, resolvePayment } from './payments.ts'
import { chargeBack, refundPart } from './refunds.ts'
import { renewSubscription } from './subscriptions.ts'
import { elapse, suspendSubscription } from './time.ts'

const Renewal = { ...fails, pending: z.boolean().default(false) }

/** What a test or a person can make happen at Mollie. */
export const CONTROLS = {
  /** Completes an open payment's page before its money has arrived: it is `pending` until `resolvePayment`. */
  payLater: onRecord('payment', 'payments', {}, (context, payment) => {
    expireIfOver(context, payment)
    refuseUnless(payment, 'open')
    return paymentObject(payLater(context, payment), context)
  }),
  /** The money of a pending payment, or of a bank transfer, arrives; with `fail` it does not. */
  resolvePayment: onRecord('payment', 'payments', fails, (context, payment, { fail }) => {
    expireIfOver(context, payment)
    return paymentObject(resolvePayment(context, payment, !fail), context)
  }),
  /** Closes the page of an open payment. */
  expire: onRecord('payment', 'payments', {}, (context, payment) => {
    refuseUnless(payment, 'open')
    return paymentObject(finish(context, payment, 'expired'), context)
  }),
  /** Refunds `amount`, decimal text in the payment's currency, or all that is left. Shows the refund. */
  refund: onRecordWith('payment', 'payments', ['amount', z.string().optional()], (context, payment, value) =>
    refundObject(refundPart(context, payment, value), context),
  ),
  /** A slow refund takes its next step, from `queued` over `pending` and `processing` to `refunded`, or fails. */
  stepRefund: onRecord('refund', 'refunds', fails, (context, refund, { fail }) =>
    refundObject(stepRefund(context, refund, fail), context),
  ),
  /** The payer's bank takes the payment back. Shows the chargeback. */
  chargeback: onRecord('payment', 'payments', {}, (context, payment) =>
    chargebackObject(chargeBack(context, payment), context),
  ),
  /** The payer's bank takes a chargeback back: the money is the seller's again. */
  reverseChargeback: onRecord('chargeback', 'disputes', {}, (context, chargeback) =>
    chargebackObject(closeDispute(context, chargeback, true), context),
  ),
  /** Charges for the next payment date. With `pending` the money does not arrive before `resolvePayment`. */
  renew: onRecord('subscription', 'subscriptions', Renewal, (context, subscription, { fail, pending }) => {
    const outcome = pending ? 'pending' : fail ? 'failed' : 'paid'
    return paymentObject(renewSubscription(context, subscription, outcome), context)
  }),
  /** The mandate becomes invalid: the subscription is `suspended` and has no next payment date. */
  suspend: onRecord('subscription', 'subscriptions', {}, (context, subscription) => {
    suspendSubscription(context, subscription)
    return subscriptionObject(subscription, context)
  }),
  /** Lets so many days pass for one subscription, by moving all its dates and its payments' into the past. */
  elapse: onRecordWith('subscription', 'subscriptions', ['days', z.int().positive()], (context, subscription, days) => {
    elapse(context, subscription, days)
    return subscriptionObject(subscription, context)
  }),
}
