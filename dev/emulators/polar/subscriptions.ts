import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import { latestInvoice, periodLine } from '../core/domain/invoices.ts'
import { changePrice, isAsLong, otherPrices, refuseDeclined, scheduleChange } from '../core/domain/plan-changes.ts'
import { rollOver } from '../core/domain/renewals.ts'
import type { SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, pauseSubscription, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { optional } from '../core/wire/json-fields.ts'
import { alreadyCanceled, invalid, polarError } from './errors.ts'
import { PRORATION, Proration, subscriptionOwn } from './own.ts'
import { uuid } from './parameters.ts'

const Why = z.object({
  customer_cancellation_reason: optional(CancellationReason),
  customer_cancellation_comment: optional(z.string()),
})
type Why = z.input<typeof Why>
const Cancel = z.strictObject({ cancel_at_period_end: z.boolean(), ...Why.shape })
const Revoke = z.strictObject({ revoke: z.literal(true), ...Why.shape })
const Resume = z.strictObject({ resume: z.literal(true) })
const Product = z.strictObject({ product_id: uuid, proration_behavior: optional(Proration) })

export const SubscriptionBody = z.union([Cancel, Revoke, Resume, Product])

type Body = z.output<typeof SubscriptionBody>

export function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, body: Body) {
  if ('resume' in body) return pauseSubscription(context, subscription, false)
  if ('product_id' in body) {
    const { product_id: id, proration_behavior: behavior } = body
    return changeProduct(context, subscription, productToChangeTo(context, subscription, id), behavior)
  }
  if ('revoke' in body) return revoke(context, subscription, body)
  return setCancelled(context, subscription, body.cancel_at_period_end, body)
}

/** A product is refused that the organisation does not sell by a period in the subscription's currency. */
function productToChangeTo(context: AccountContext, subscription: SubscriptionRecord, id: string): SoldPrice {
  const found = otherPrices(context, subscription).find((price) => price.id === id)
  if (!found) throw invalid(['body', 'product_id'], 'Product does not exist.', id)
  return found
}

/**
 * Changes the product, as `update_product` does in server/polar/subscription/service.py: in the portal any public product may be
 * chosen, unless the organisation has switched that off. By default the money is part of the next period's order; it is an order
 * of its own at once if the organisation wants that, or if the new product's period has another length. A trial ends by it, as
 * the new product has none of its own.
 */
export function changeProduct(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  behavior: z.output<typeof Proration> | null = null,
): SubscriptionRecord {
  if (hasEnded(subscription) || subscription.cancelAtPeriodEnd) throw alreadyCanceled()
  const how = behavior ?? PRORATION.of(context)
  if (how === 'next_period') return scheduleChange(context, subscription, price)
  if (subscription.status === 'trialing') return endTrial(context, subscription, price)
  const isNow = how === 'invoice' || !isAsLong(price, subscription.price)
  return changePrice(context, subscription, price, isNow ? 'now' : 'with the next period')
}

function endTrial(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): SubscriptionRecord {
  refuseDeclined(context, subscription, [{ ...periodLine(subscription), amount: price.amount }])
  change(context, subscription, () => {
    Object.assign(subscription, { price, scheduled: null, periodEnd: context.now, trialEnd: context.now })
    subscription.anchor = context.now
  })
  return rollOver(context, subscription)
}

/** Makes the end of the period the end of the subscription, or takes that back. */
export function setCancelled(
  context: AccountContext,
  subscription: SubscriptionRecord,
  cancelled: boolean,
  why: Why = {},
): SubscriptionRecord {
  if (hasEnded(subscription) || (cancelled && subscription.cancelAtPeriodEnd)) throw alreadyCanceled()
  if (!cancelled && !subscription.cancelAtPeriodEnd) {
    throw polarError(409, 'SubscriptionNotScheduledToCancel', 'This subscription is not scheduled to be canceled.')
  }
  return change(context, subscription, () => {
    note(subscription, cancelled ? why : {})
    scheduleEnd(context, subscription, cancelled)
  })
}

/** Ends a subscription now. Its order that is not paid is void (`_on_subscription_revoked` in Polar's source). */
export function revoke(context: AccountContext, subscription: SubscriptionRecord, why: Why = {}): SubscriptionRecord {
  if (hasEnded(subscription)) throw alreadyCanceled()
  note(subscription, why)
  if (subscription.latestInvoice !== null) {
    const invoice = latestInvoice(context, subscription)
    if (invoice.status !== 'paid') invoice.status = 'void'
  }
  return endSubscription(context, subscription)
}

function note(subscription: SubscriptionRecord, why: Why): void {
  subscription.own = { ...subscriptionOwn(subscription), ...Why.parse(why) }
}
