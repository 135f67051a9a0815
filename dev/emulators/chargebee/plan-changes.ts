import * as z from 'zod'
import { currentTerms, paidTerms } from '../core/domain/amounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import {
  changePrice,
  creditCustomer,
  isDeclined,
  isSamePeriodLength,
  OTHER_PRICES,
  type Plan,
  type ProratedDiscounts,
  payChange,
  prorate,
  refuseUnchangeable,
  scheduleChange,
} from '../core/domain/plan-changes.ts'
import { findSold } from '../core/domain/prices.ts'
import { invoiceSale } from '../core/domain/sales.ts'
import { SoldPrice, type SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, hasEnded } from '../core/domain/subscriptions.ts'
import { boolean, text } from '../core/wire/form-fields.ts'
import { act, type Ids, Nothing, type Route, read, route } from '../core/wire/routes.ts'
import { Item } from './checkout.ts'
import { discountSubscription } from './coupons.ts'
import { paymentError, wrongState, wrongValue } from './errors.ts'
import { invoiceObject } from './objects/money.ts'
import { planFields, withCustomer } from './objects/selling.ts'
import { content } from './objects/wire.ts'
import { DECLINED_CHANGE, INVOICE_IMMEDIATELY } from './own.ts'

/*
 * Changes of a subscription's plan (apidocs.chargebee.com/docs/api/subscriptions/update-subscription-for-items): "Prorated credits or charges
 * are created as applicable"; with another billing period "the term is always reset"; "any existing scheduled change on the subscription is
 * deleted".
 */

/**
 * The items of a change. Every subscription has one, its plan, so a list that is added to it is not supported. `reactivate`: whether a
 * subscription that has ended is reactivated: "implied as `true`" unless it is `false`. Reactivation is not supported.
 */
export const itemParameters = {
  subscription_items: Item,
  replace_items_list: z.literal('true'),
  reactivate: boolean.optional(),
}

/** When a change is made, and how it is billed. Changes without proration are not supported. */
export const timingParameters = {
  end_of_term: boolean.default(false),
  prorate: z.literal('true').optional(),
  invoice_immediately: boolean.optional(),
}

/** A change of the items, or a coupon instead of those that the subscription has: both at once are not supported. */
const UpdateParameters = z.strictObject({
  ...itemParameters,
  ...timingParameters,
  subscription_items: Item.optional(),
  replace_items_list: z.literal('true').optional(),
  coupon_ids: z.tuple([text(100)]).optional(),
  replace_coupon_list: z.literal('true').optional(),
})

/** The plan that a change names, also one that is in no paywall file, and its quantity. */
export function findPlan(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { item_price_id: [id], quantity: [quantity] }: z.output<typeof Item>,
): Plan {
  const param = 'subscription_items[item_price_id][0]'
  const { currency } = subscription.price
  const price =
    OTHER_PRICES.read(context).find((each) => each.id === id) ?? SoldPrice.parse(findSold(context, id, { param }).price)
  if (!price.interval) throw wrongValue(param, 'not a plan item price')
  if (price.currency !== currency) throw wrongValue(param, `the subscription is in ${currency}`)
  return { price, quantity }
}

/** A change in a trial is free, and so is one to the same price and quantity: nothing is invoiced. */
export const isFree = (subscription: SubscriptionRecord, plan: Plan) =>
  subscription.status === 'trialing' || hasPlan(subscription, plan)

export const hasPlan = (subscription: SubscriptionRecord, { price, quantity }: Plan) =>
  subscription.price.id === price.id && subscription.quantity === quantity

/** That Chargebee schedules no change of a subscription that is scheduled to end is UNVERIFIED. */
export function refuseScheduling({ cancelAt }: SubscriptionRecord): void {
  if (cancelAt !== null) throw wrongState('The subscription has no next term.')
}

function updateForItems(context: AccountContext, given: z.output<typeof UpdateParameters>, [id]: Ids) {
  const subscription = find(context, 'subscriptions', id)
  const { subscription_items: items, replace_items_list: replaces, coupon_ids: [coupon] = [] } = given
  if (coupon !== undefined && !items && given.replace_coupon_list) {
    if (hasEnded(subscription)) throw wrongState('The subscription has ended.')
    return withCustomer(discountSubscription(context, subscription, coupon), context)
  }
  if (!items || !replaces || coupon !== undefined) throw wrongValue('subscription_items', 'is needed')
  const plan = findPlan(context, subscription, items)
  // "Subscription changes are made without changing its `status`."
  if (hasEnded(subscription) && given.reactivate === false) {
    return withCustomer(setPlan(context, subscription, plan), context)
  }
  if (given.end_of_term) {
    refuseScheduling(subscription)
    return withCustomer(scheduleChange(context, subscription, plan.price, {}, plan.quantity), context)
  }
  const before = subscription.latestInvoice
  changeNow(context, subscription, plan, { isImmediate: given.invoice_immediately })
  const invoice = latestInvoice(context, subscription)
  return {
    ...withCustomer(subscription, context),
    ...(invoice.id !== before && content(invoiceObject(invoiceSale(context, invoice), context))),
  }
}

/**
 * Changes the plan now, and keeps a scheduled cancellation: whether Chargebee undoes it is UNVERIFIED. `pays`: whether the charge succeeds;
 * by default it depends on the customer's card.
 *
 * What happens if the charge is declined is UNVERIFIED. Its documents show that a subscription is not created then ("as we are not able to
 * collect … from your card on file", an error of type `payment`), and a public repository has measured that an invoice for a charge is created
 * all the same, and is due. Here the change is made, unless the site is set to refuse it. That the line of the charge has the whole new
 * quantity, as the credit note has the old one, is UNVERIFIED.
 */
export function changeNow(
  context: AccountContext,
  subscription: SubscriptionRecord,
  plan: Plan,
  { isImmediate = INVOICE_IMMEDIATELY.read(context), pays }: { isImmediate?: boolean | undefined; pays?: boolean },
): SubscriptionRecord {
  refuseUnchangeable(context, subscription)
  if (isFree(subscription, plan)) return setPlan(context, subscription, plan)
  const { price, quantity } = plan
  if (!isImmediate && isSamePeriodLength(price, subscription.price)) {
    return changePrice(context, subscription, price, 'with the next period, less the credit', {
      quantity,
      discounts: discountsOfChange(subscription, price),
    })
  }
  const discounts = discountsOfChange(subscription, price)
  const { credit, charge, period } = prorate(subscription, price, { now: context.now, quantity, discounts })
  const isPaid = pays ?? !isDeclined(context, subscription, [credit, charge])
  if (!isPaid && DECLINED_CHANGE.read(context) === 'refused') throw paymentError('Subscription cannot be changed')
  return change(context, subscription, () => {
    Object.assign(subscription, { ...plan, scheduled: null, ...period })
    subscription.changedTerms = discounts.charge ?? currentTerms(subscription)
    creditCustomer(context, subscription, credit)
    payChange(context, subscription, [charge], isPaid)
    if (!isPaid) subscription.status = 'past_due'
  })
}

/**
 * The unused time is credited as it was invoiced: a credit note reduces the invoice of the term, of which its `total` is a part. That the
 * discount of that invoice is in it in proportion is UNVERIFIED. A percentage is taken off every invoice of the term, and an amount once in
 * it (chargebee.com/docs/billing/2.0/kb/billing/coupon-not-included-in-proration-calculation).
 */
export function discountsOfChange(subscription: SubscriptionRecord, price: SoldPrice): ProratedDiscounts {
  const { amountOff, ...share } = currentTerms(subscription)
  const isUsed = amountOff !== undefined && isSamePeriodLength(price, subscription.price)
  return { credit: paidTerms(subscription), charge: isUsed ? share : null }
}

const setPlan = (context: AccountContext, subscription: SubscriptionRecord, plan: Plan) =>
  change(context, subscription, () => Object.assign(subscription, { ...plan, scheduled: null }))

function removeScheduled(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.scheduled === null || hasEnded(subscription)) throw wrongState('No changes are scheduled.')
  return scheduleChange(context, subscription, null)
}

function findScheduled(context: AccountContext, id: string) {
  const subscription = find(context, 'subscriptions', id)
  if (subscription.scheduled === null) throw wrongState('No changes are scheduled.')
  return { subscription, plan: subscription.scheduled }
}

/** "Retrieves a subscription with the scheduled changes applied": only its items and its billing period are different. */
function withScheduledChanges({ subscription, plan }: ReturnType<typeof findScheduled>, context: AccountContext) {
  const { subscription: now, ...rest } = withCustomer(subscription, context)
  return { ...rest, subscription: { ...now, ...planFields({ ...subscription, ...plan }) } }
}

export const PLAN_CHANGE_ROUTES: Route[] = [
  route('POST', '/subscriptions/:id/update_for_items', UpdateParameters, updateForItems),
  act('POST', '/subscriptions/:id/remove_scheduled_changes', Nothing, 'subscriptions', removeScheduled, withCustomer),
  read('/subscriptions/:id/retrieve_with_scheduled_changes', findScheduled, withScheduledChanges),
]
