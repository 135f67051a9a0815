import * as z from 'zod'
import { payPageLater, resolvePayment } from '../core/checkout.ts'
import { accountRecord } from '../core/context.ts'
import { fails, onAccount, onRecord, onRecordWith } from '../core/controls.ts'
import { announceTrialEnd } from '../core/dues.ts'
import { expireIfOver } from '../core/pages.ts'
import { markUnpaid, renewSubscription, rollOver } from '../core/renewals.ts'
import { closeDispute, endRefund, openDispute } from '../core/reversals.ts'
import { pauseSubscription } from '../core/subscriptions.ts'
import { invalidRequest } from './errors.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { disputeObject } from './objects/dispute.ts'
import { paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { chargeOf, refund } from './refunds.ts'
import { cancelInPortal, cancelSubscription, resumeInPortal } from './subscriptions.ts'

type Change = Parameters<typeof onRecord<'subscriptions', z.ZodRawShape>>[3]

/** A control of a subscription that shows the subscription. */
const ofSubscription = (apply: (...given: Parameters<Change>) => Parameters<typeof subscriptionObject>[0]) =>
  onRecord('subscription', 'subscriptions', {}, (...given) => subscriptionObject(apply(...given)))

/** What a test or a person can make happen at Stripe. */
export const CONTROLS = {
  /**
   * Completes a checkout session before its money has arrived, as a bank debit does: a one-time payment is `processing`
   * until `resolvePayment`; a subscription is `incomplete` until `renew` collects the money, or until `end` makes it
   * `incomplete_expired`. `email` is the payer's, where the session has none.
   */
  payLater: onRecordWith(
    'session',
    'pages',
    ['email', z.email().default('payer@example.com')],
    (context, page, email) => {
      expireIfOver(context, page)
      return checkoutSessionObject(payPageLater(context, page, email), context)
    },
  ),
  /** The bank decides about a one-time payment that is `processing`. */
  resolvePayment: onRecord('payment_intent', 'payments', fails, (context, payment, { fail }) =>
    paymentIntentObject(resolvePayment(context, payment, !fail)),
  ),
  /** Begins the next period, which is not paid yet. */
  rollOver: ofSubscription(rollOver),
  /** Charges the unpaid invoice; if there is none, rolls over first. */
  renew: onRecord('subscription', 'subscriptions', fails, (context, subscription, { fail }) =>
    subscriptionObject(renewSubscription(context, subscription, !fail)),
  ),
  /** A past due subscription becomes `unpaid`: Stripe tries no more, but `renew` can still collect the money. */
  markUnpaid: ofSubscription(markUnpaid),
  /** Ends a subscription now. */
  end: ofSubscription((context, { id }) => cancelSubscription(context, {}, id)),
  trialWillEnd: ofSubscription(announceTrialEnd),
  pause: ofSubscription((context, subscription) => pauseSubscription(context, subscription, true)),
  resume: ofSubscription((context, subscription) => pauseSubscription(context, subscription, false)),
  /** The customer cancels in Stripe's own portal: `cancel_at` is set and `cancel_at_period_end` stays false. */
  portalCancel: ofSubscription(cancelInPortal),
  /** The customer takes a cancellation back in Stripe's own portal. */
  portalUndo: ofSubscription(resumeInPortal),
  /** Refunds `amount` minor units, or all that is left of the payment. */
  refund: onRecordWith(
    'payment_intent',
    'payments',
    ['amount', z.int().positive().optional()],
    (context, { id }, amount) =>
      refundObject(refund(context, { payment_intent: id, ...(amount !== undefined && { amount }) }), context),
  ),
  /** The bank has credited a refund, or with `fail` sent it back: then its money is the seller's again. */
  resolveRefund: onRecord('refund', 'refunds', fails, (context, record, { fail }) =>
    refundObject(endRefund(context, record, fail ? 'failed' : 'refunded'), context),
  ),
  dispute: onRecord('payment_intent', 'payments', {}, (context, payment) => {
    const { id } = chargeOf(payment)
    const open = [...context.records.disputes.values()].some((dispute) => dispute.payment === payment.id)
    if (open) throw invalidRequest(`Charge ${id} is already disputed.`)
    return disputeObject(openDispute(context, payment), context)
  }),
  /** The bank has decided a dispute: for the payer, or with `won` for the seller, who has the money again then. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) =>
    disputeObject(closeDispute(context, dispute, won), context),
  ),
  /** Whether the portal's settings of a paywall's account were ever saved in the dashboard: they were, unless this says no. */
  configurePortal: onAccount(['configured', z.boolean()], ({ records, account }, portalConfigured) => {
    accountRecord(records, account.id).own = { portalConfigured }
  }),
}
