import * as z from 'zod'
import { payPageLater, resolvePayment } from '../domain/checkout.ts'
import { type AccountContext, all } from '../domain/context.ts'
import { announceTrialEnd } from '../domain/dues.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../domain/money-records.ts'
import { expireIfOver } from '../domain/pages.ts'
import { markUnpaid, renewSubscription, rollOver } from '../domain/renewals.ts'
import { closeDispute, endRefund, openDispute } from '../domain/reversals.ts'
import type { PageRecord, SubscriptionRecord } from '../domain/selling-records.ts'
import { pauseSubscription } from '../domain/subscriptions.ts'
import { fails, onRecord, onRecordWith, type RecordControl } from './controls.ts'

type Show<Record> = (record: Record, context: AccountContext) => { id: string }
type ChangeSubscription = (context: AccountContext, subscription: SubscriptionRecord) => SubscriptionRecord

/** How a processor that charges by invoice shows records, and what it does in its own way. */
interface Billing {
  /** The names that the controls' bodies have for a page and a payment. */
  names: { page: string; payment: string }
  show: {
    page: Show<PageRecord>
    subscription: Show<SubscriptionRecord>
    payment: Show<PaymentRecord>
    refund: Show<RefundRecord>
    dispute: Show<DisputeRecord>
  }
  end: ChangeSubscription
  portalCancel: ChangeSubscription
  portalUndo: ChangeSubscription
  /** Refunds an amount, or all that is left. */
  refund(context: AccountContext, payment: PaymentRecord, amount?: number): RefundRecord
}

/** A control that changes a subscription, and shows it. */
export const subscriptionControl =
  (show: Show<SubscriptionRecord>) =>
  (apply: ChangeSubscription): RecordControl<object> =>
    onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
      show(apply(context, subscription), context),
    )

interface Reversals {
  names: { payment: string }
  show: Pick<Billing['show'], 'refund' | 'dispute'>
  refund: Billing['refund']
}

/** What can be made happen to a payment that was paid. */
export const reversalControls = ({ names, show, refund }: Reversals) => ({
  /** Refunds `amount` in the processor's units, or all that is left of the payment. */
  refund: onRecordWith(
    names.payment,
    'payments',
    ['amount', z.int().positive().optional()],
    (context, payment, amount) => show.refund(refund(context, payment, amount), context),
  ),
  /** The payer's bank takes the payment back. */
  dispute: onRecord(names.payment, 'payments', {}, (context, payment) => {
    const isDisputed = all(context, 'disputes').some((dispute) => dispute.payment === payment.id)
    if (payment.status !== 'paid') throw context.refuse(`${payment.id} is not paid.`)
    if (isDisputed) throw context.refuse(`${payment.id} is already disputed.`)
    return show.dispute(openDispute(context, payment), context)
  }),
  /** The bank has decided a dispute: for the payer, or with `won` for the seller, who has the money again then. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) =>
    show.dispute(closeDispute(context, dispute, won), context),
  ),
})

/** What can be made happen at every processor that sells on pages and charges by invoice. */
export function billingControls({ names, show, end, portalCancel, portalUndo, refund }: Billing) {
  const ofSubscription = subscriptionControl(show.subscription)
  return {
    ...reversalControls({ names, show, refund }),
    /**
     * Completes a page before its money has arrived, as a bank debit does: a one-time payment is pending until
     * `resolvePayment`; a subscription is `incomplete` until `renew` collects the money, or until `end` makes it
     * `incomplete_expired`. `email` is the payer's, where the page has none.
     */
    payLater: onRecordWith(
      names.page,
      'pages',
      ['email', z.email().default('payer@example.com')],
      (context, page, email) => {
        expireIfOver(context, page)
        return show.page(payPageLater(context, page, email), context)
      },
    ),
    /** The bank decides about a one-time payment that is pending. */
    resolvePayment: onRecord(names.payment, 'payments', fails, (context, payment, { fail }) =>
      show.payment(resolvePayment(context, payment, !fail), context),
    ),
    /** Begins the next period, which is not paid yet. */
    rollOver: ofSubscription(rollOver),
    /** Charges the unpaid invoice; if there is none, rolls over first. */
    renew: onRecord('subscription', 'subscriptions', fails, (context, subscription, { fail }) =>
      show.subscription(renewSubscription(context, subscription, !fail), context),
    ),
    /** A past due subscription becomes `unpaid`: it is charged no more, but `renew` can still collect the money. */
    markUnpaid: ofSubscription(markUnpaid),
    /** Ends a subscription now. */
    end: ofSubscription(end),
    /** Tells that a trial is about to end. */
    trialWillEnd: ofSubscription(announceTrialEnd),
    pause: ofSubscription((context, subscription) => pauseSubscription(context, subscription, true)),
    resume: ofSubscription((context, subscription) => pauseSubscription(context, subscription, false)),
    /** The customer cancels in the processor's own portal. */
    portalCancel: ofSubscription(portalCancel),
    /** The customer takes a cancellation back there. */
    portalUndo: ofSubscription(portalUndo),
    /** The bank has credited a refund, or with `fail` sent it back: then its money is the seller's again. */
    resolveRefund: onRecord('refund', 'refunds', fails, (context, record, { fail }) =>
      show.refund(endRefund(context, record, fail ? 'failed' : 'refunded'), context),
    ),
  }
}
