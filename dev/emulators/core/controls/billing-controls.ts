import * as z from 'zod'
import { payPageLater, resolvePayment } from '../domain/checkout.ts'
import { type AccountContext, all } from '../domain/context.ts'
import { announceTrialEnd, type RenewalRulesFor } from '../domain/dues.ts'
import type { PaymentRecord, RefundRecord } from '../domain/money-records.ts'
import { expireIfOver } from '../domain/pages.ts'
import { OTHER_PRICES, priceToChangeTo } from '../domain/plan-changes.ts'
import { markUnpaid, renewSubscription, rollOver } from '../domain/renewals.ts'
import { closeDispute, endRefund, openDispute, refundableAmount } from '../domain/reversals.ts'
import type { SoldPrice, SubscriptionRecord } from '../domain/selling-records.ts'
import { pauseSubscription } from '../domain/subscriptions.ts'
import { UNKNOWN_VALUES } from '../wire/unknown-values.ts'
import { changing, deciding, onRecord, onRecordWith } from './controls.ts'
import { PROMOTION_CODES } from './promotion-codes.ts'
import { TERMS } from './terms.ts'

type ChangeSubscription = (context: AccountContext, subscription: SubscriptionRecord) => SubscriptionRecord

/** The actions that differ between processors that charge by invoice. */
export interface BillingActions {
  /** The field names of a page and a payment in the controls' bodies. */
  names: { page: string; payment: string }
  end: ChangeSubscription
  /** Cancels a subscription in the portal, or undoes that. */
  setCancelled(context: AccountContext, subscription: SubscriptionRecord, cancelled: boolean): SubscriptionRecord
  /** The customer changes the price in the portal, immediately. */
  changePlan(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): SubscriptionRecord
  /** The same at the end of the period, where the processor supports it; null: cancels the scheduled change. */
  schedulePlan?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice | null): SubscriptionRecord
  /** Refunds an amount, or all that is left. */
  refund(context: AccountContext, payment: PaymentRecord, amount?: number): RefundRecord
  /** Closes a dispute, where this has further effects. */
  closeDispute?: typeof closeDispute
  /** Resumes a paused subscription, where this has further effects. */
  resume?: ChangeSubscription
  renewals: RenewalRulesFor
}

/** A control that changes a subscription and shows it. */
export const onSubscription = (change: ChangeSubscription) => changing('subscription', 'subscriptions', change)

/** Changes a subscription to the named price, by default to the account's next one in the same currency. */
export const planControl = (
  change: (context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice) => SubscriptionRecord,
) =>
  onRecordWith('subscription', 'subscriptions', ['price', z.string().optional()], (context, subscription, id) => {
    const changed = change(context, subscription, priceToChangeTo(context, subscription, id))
    return context.show('subscriptions', changed)
  })

/** Changes the quantity of a subscription, whose price stays the same. */
export const quantityControl = (
  change: (
    context: AccountContext,
    subscription: SubscriptionRecord,
    price: SoldPrice,
    quantity: number,
  ) => SubscriptionRecord,
) =>
  onRecordWith('subscription', 'subscriptions', ['quantity', z.int().positive()], (context, subscription, quantity) =>
    context.show('subscriptions', change(context, subscription, subscription.price, quantity)),
  )

/** Disputes a payment, once: the part that is not refunded, or all of it if it was refunded completely. */
export function disputed(context: AccountContext, payment: PaymentRecord, status: 'open' | 'warning' = 'open') {
  const isDisputed = all(context, 'disputes').some((dispute) => dispute.payment === payment.id)
  if (payment.status !== 'paid') throw context.refuse(`${payment.id} is not paid.`)
  if (isDisputed) throw context.refuse(`${payment.id} is already disputed.`)
  return openDispute(context, payment, { status, amount: refundableAmount(context, payment) || payment.amount })
}

/** Controls of paid payments. `name`: the field name of a payment in the controls' bodies. */
export const reversalControls = (name: string, refund: BillingActions['refund'], close = closeDispute) => ({
  /** Refunds `amount` in the processor's units, or all that is left of the payment. */
  refund: onRecordWith(name, 'payments', ['amount', z.int().positive().optional()], (context, payment, amount) =>
    context.show('refunds', refund(context, payment, amount)),
  ),
  /** The payer's bank disputes the payment. */
  dispute: onRecord(name, 'payments', {}, (context, payment) => context.show('disputes', disputed(context, payment))),
  /** The bank decides a dispute in favor of the payer, or with `won` of the seller, who gets the money back. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) =>
    context.show('disputes', close(context, dispute, won)),
  ),
})

/** The controls of every processor that sells on pages and charges by invoice. */
export const billingControls = ({
  names,
  end,
  setCancelled,
  changePlan,
  refund,
  closeDispute,
  resume = (context, subscription) => pauseSubscription(context, subscription, false),
  renewals,
}: BillingActions) => ({
  ...reversalControls(names.payment, refund, closeDispute),
  /**
   * Completes a page with a pending payment, as a bank debit does: a one-time payment is pending until
   * `resolvePayment`; a subscription is `incomplete` until `renew` collects the money or `end` makes it
   * `incomplete_expired`. `email` is the payer's if the page has none.
   */
  payLater: onRecordWith(
    names.page,
    'pages',
    ['email', z.email().default('payer@example.com')],
    (context, page, email) => {
      expireIfOver(context, page)
      return context.show('pages', payPageLater(context, page, email))
    },
  ),
  /** Completes or fails a pending one-time payment. */
  resolvePayment: deciding(names.payment, 'payments', resolvePayment),
  /** Begins the next period, unpaid. */
  rollOver: onSubscription((context, subscription) => rollOver(context, subscription, renewals(context))),
  /** Charges the unpaid invoice; rolls over first if there is none. */
  renew: deciding('subscription', 'subscriptions', (context, subscription, succeeds) =>
    renewSubscription(context, subscription, succeeds, renewals(context)),
  ),
  /** Makes a past due subscription `unpaid`: it is no longer charged, but `renew` can still collect the money. */
  markUnpaid: onSubscription(markUnpaid),
  /** Ends a subscription immediately. */
  end: onSubscription(end),
  /** Emits the event that a trial is about to end. */
  trialWillEnd: onSubscription(announceTrialEnd),
  pause: onSubscription((context, subscription) => pauseSubscription(context, subscription, true)),
  resume: onSubscription(resume),
  /** The customer changes the plan in the processor's portal. */
  changePlan: planControl(changePlan),
  /** Sets prices that exist at the processor but in no paywall file. The portal also offers them. */
  setOtherPrices: OTHER_PRICES.control,
  /** Overrides the value of a field in all objects, such as with a new value of an enumeration. */
  setValues: UNKNOWN_VALUES.control,
  /** Sets taxes and a coupon for every page. */
  setTerms: TERMS.control,
  /** Sets the codes that buyers can enter on pages that ask for one. */
  setPromotionCodes: PROMOTION_CODES.control,
  /** The customer cancels in the processor's portal. */
  portalCancel: onSubscription((...given) => setCancelled(...given, true)),
  /** The customer undoes the cancellation there. */
  portalUndo: onSubscription((...given) => setCancelled(...given, false)),
  /** Completes a refund, or fails it with `fail`, which returns the money to the seller. */
  resolveRefund: deciding('refund', 'refunds', (context, refund, succeeds) =>
    endRefund(context, refund, succeeds ? 'refunded' : 'failed'),
  ),
})
