import * as z from 'zod'
import { payPageLater, resolvePayment } from '../domain/checkout.ts'
import { type AccountContext, all } from '../domain/context.ts'
import { announceTrialEnd, type RenewalRulesOf } from '../domain/dues.ts'
import type { PaymentRecord, RefundRecord } from '../domain/money-records.ts'
import { expireIfOver } from '../domain/pages.ts'
import { OTHER_PRICES, priceToChangeTo } from '../domain/plan-changes.ts'
import { markUnpaid, renewSubscription, rollOver } from '../domain/renewals.ts'
import { closeDispute, endRefund, openDispute, refundableAmount } from '../domain/reversals.ts'
import type { SoldPrice, SubscriptionRecord } from '../domain/selling-records.ts'
import { pauseSubscription } from '../domain/subscriptions.ts'
import { UNKNOWN_VALUES } from '../wire/unknown-values.ts'
import { changing, deciding, onRecord, onRecordWith } from './controls.ts'
import { TERMS } from './terms.ts'

type ChangeSubscription = (context: AccountContext, subscription: SubscriptionRecord) => SubscriptionRecord

/** What a processor that charges by invoice does in its own way. */
export interface BillingActions {
  /** The names that the controls' bodies have for a page and a payment. */
  names: { page: string; payment: string }
  end: ChangeSubscription
  /** What the buttons of the portal do: a subscription is cancelled, or goes on. */
  setCancelled(context: AccountContext, subscription: SubscriptionRecord, cancelled: boolean): SubscriptionRecord
  /** The customer changes the price in the portal: now. */
  changePlan(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): SubscriptionRecord
  /** The same with the end of the period, where the processor has that; null: it does not change any more. */
  schedulePlan?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice | null): SubscriptionRecord
  /** Refunds an amount, or all that is left. */
  refund(context: AccountContext, payment: PaymentRecord, amount?: number): RefundRecord
  /** What happens when the bank has decided a dispute, where that is more than that the dispute is closed. */
  closeDispute?: typeof closeDispute
  /** Lets a paused subscription go on, where that is more than that. */
  resume?: ChangeSubscription
  renewals: RenewalRulesOf
}

/** A control that changes a subscription, and shows it. */
export const ofSubscription = (change: ChangeSubscription) => changing('subscription', 'subscriptions', change)

/** The price that a subscription is changed to: the next one that its account sells in its currency, if none is named. */
export const planControl = (
  change: (context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice) => SubscriptionRecord,
) =>
  onRecordWith('subscription', 'subscriptions', ['price', z.string().optional()], (context, subscription, id) => {
    const changed = change(context, subscription, priceToChangeTo(context, subscription, id))
    return context.show('subscriptions', changed)
  })

/** A payment is disputed once: what is left of it, or the whole of it if that was given back. */
export function disputed(context: AccountContext, payment: PaymentRecord, status: 'open' | 'warning' = 'open') {
  const isDisputed = all(context, 'disputes').some((dispute) => dispute.payment === payment.id)
  if (payment.status !== 'paid') throw context.refuse(`${payment.id} is not paid.`)
  if (isDisputed) throw context.refuse(`${payment.id} is already disputed.`)
  return openDispute(context, payment, { status, amount: refundableAmount(context, payment) || payment.amount })
}

/** What can be made happen to a payment that was paid. `name` is what the controls' bodies call a payment. */
export const reversalControls = (name: string, refund: BillingActions['refund'], close = closeDispute) => ({
  /** Refunds `amount` in the processor's units, or all that is left of the payment. */
  refund: onRecordWith(name, 'payments', ['amount', z.int().positive().optional()], (context, payment, amount) =>
    context.show('refunds', refund(context, payment, amount)),
  ),
  /** The payer's bank takes the payment back. */
  dispute: onRecord(name, 'payments', {}, (context, payment) => context.show('disputes', disputed(context, payment))),
  /** The bank has decided a dispute: for the payer, or with `won` for the seller, who has the money again then. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) =>
    context.show('disputes', close(context, dispute, won)),
  ),
})

/** What can be made happen at every processor that sells on pages and charges by invoice. */
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
      return context.show('pages', payPageLater(context, page, email))
    },
  ),
  /** The bank decides about a one-time payment that is pending. */
  resolvePayment: deciding(names.payment, 'payments', resolvePayment),
  /** Begins the next period, which is not paid yet. */
  rollOver: ofSubscription((context, subscription) => rollOver(context, subscription, renewals(context))),
  /** Charges the unpaid invoice; if there is none, rolls over first. */
  renew: deciding('subscription', 'subscriptions', (context, subscription, succeeds) =>
    renewSubscription(context, subscription, succeeds, renewals(context)),
  ),
  /** A past due subscription becomes `unpaid`: it is charged no more, but `renew` can still collect the money. */
  markUnpaid: ofSubscription(markUnpaid),
  /** Ends a subscription now. */
  end: ofSubscription(end),
  /** Tells that a trial is about to end. */
  trialWillEnd: ofSubscription(announceTrialEnd),
  pause: ofSubscription((context, subscription) => pauseSubscription(context, subscription, true)),
  resume: ofSubscription(resume),
  /** The customer changes the plan in the processor's own portal. */
  changePlan: planControl(changePlan),
  /** Prices that the owner has made there, which no paywall file names: the portal offers them, too. */
  setOtherPrices: OTHER_PRICES.control,
  /** The value that a field of all objects has from now on, such as a value that is new in an enumeration. */
  setValues: UNKNOWN_VALUES.control,
  /** Taxes, and a coupon that is used on every page. */
  setTerms: TERMS.control,
  /** The customer cancels in the processor's own portal. */
  portalCancel: ofSubscription((...given) => setCancelled(...given, true)),
  /** The customer takes a cancellation back there. */
  portalUndo: ofSubscription((...given) => setCancelled(...given, false)),
  /** The bank has credited a refund, or with `fail` sent it back: then its money is the seller's again. */
  resolveRefund: deciding('refund', 'refunds', (context, refund, succeeds) =>
    endRefund(context, refund, succeeds ? 'refunded' : 'failed'),
  ),
})
