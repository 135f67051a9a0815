import * as z from 'zod'
import { computeAmounts, currentTerms, hasDiscount, sumAmounts, withoutDiscount } from '../core/domain/amounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { periodLine } from '../core/domain/invoices.ts'
import {
  changePrice,
  isDeclined,
  isSamePeriodLength,
  otherPrices,
  type ProratedDiscounts,
  prorate,
  scheduleChange,
} from '../core/domain/plan-changes.ts'
import { beginNextPeriod, rollOver } from '../core/domain/renewals.ts'
import type { PricedLine, SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, hasEnded } from '../core/domain/subscriptions.ts'
import { optional } from '../core/wire/json-fields.ts'
import { alreadyCanceled, invalid, noSuch, paymentFailed } from './errors.ts'
import { PRORATION, Proration } from './own.ts'
import { uuid } from './parameters.ts'
import { renewals } from './rules.ts'

/* Changes of a subscription's product, as in server/polar/subscription/service.py and update.py. */

export const ProductChange = z.strictObject({ product_id: uuid, proration_behavior: optional(Proration) })

type Behavior = z.output<typeof Proration>

/**
 * Refuses a product without a recurring price in the subscription's currency. The current product is accepted, whose proration costs
 * nothing.
 */
export function productToChangeTo(context: AccountContext, subscription: SubscriptionRecord, id: string): SoldPrice {
  const found = [subscription.price, ...otherPrices(context, subscription)].find((price) => price.id === id)
  if (!found) throw invalid(['body', 'product_id'], 'Product does not exist.', id)
  return found
}

/**
 * Changes the product, as `update_product` does. The portal offers all public products, unless the organisation has disabled that. By default
 * the change is charged with the next period's order. It is a separate order at once if the organisation is set up so, or if the new
 * product's period has another length: if its payment fails, the API returns an error and nothing changes
 * (docs/features/subscriptions/proration.mdx). It ends a trial, because the new product has none; the period that begins is charged by a job,
 * which may fail later.
 */
export function changeProduct(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  behavior: Behavior | null = null,
): SubscriptionRecord {
  refuseCanceled(subscription)
  const how = behavior ?? PRORATION.read(context)
  if (how === 'next_period') return scheduleChange(context, subscription, price)
  if (subscription.status === 'trialing') return endTrial(context, subscription, price)
  const isNow = how === 'invoice' || !isSamePeriodLength(price, subscription.price)
  if (isNow && isDeclined(context, subscription, toLines(context, subscription, price))) throw paymentFailed()
  const discounts = discountsOfChange(subscription)
  return changePrice(context, subscription, price, isNow ? 'now' : 'with the next period', { discounts })
}

/**
 * The discount that the subscription has is taken off both parts of a change, even before its first period (`BillingEntry.amount` in
 * server/polar/subscription/update.py), and an order takes none off them again (`compute_order_amounts` in server/polar/order/amounts.py).
 */
function discountsOfChange(subscription: SubscriptionRecord): ProratedDiscounts {
  const { terms } = subscription
  const had = hasDiscount(subscription) ? terms : withoutDiscount(terms)
  return { credit: had, charge: had }
}

/** Removes what is scheduled for the next period (`clear_pending_update`). */
export function clearPendingUpdate(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.scheduled === null) {
    throw invalid(['body', 'pending_update'], 'This subscription has no pending update to clear.', null)
  }
  return scheduleChange(context, subscription, null)
}

/**
 * What a change would be charged at once (`calculate_change_preview`): earlier prorations that are pending, too. It differs from the charge of
 * a later change by the seconds between them.
 */
export function previewChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { product_id: id, proration_behavior: behavior }: z.output<typeof ProductChange>,
) {
  refuseCanceled(subscription)
  const price = productToChangeTo(context, subscription, id)
  const isTrial = subscription.status === 'trialing'
  const isLater = (behavior ?? PRORATION.read(context)) === 'next_period'
  if (isTrial)
    return chargePreview(
      context,
      subscription,
      isLater ? [] : [{ ...periodLine(subscription), price, amount: price.amount }],
    )
  return chargePreview(
    context,
    subscription,
    isLater ? subscription.pendingLines : toLines(context, subscription, price),
  )
}

/** The charge of the next period (`_compute_charge_preview`), with what is scheduled for it. */
export function previewNextCharge(context: AccountContext, found: SubscriptionRecord) {
  if (hasEnded(found)) throw noSuch('subscriptions', found.id)
  const next = structuredClone(found)
  Object.assign(next, next.scheduled)
  beginNextPeriod(next)
  return chargePreview(context, next, [...(next.cancelAtPeriodEnd ? [] : [periodLine(next)]), ...next.pendingLines])
}

function chargePreview(context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]) {
  const { customer } = subscription
  const prorations = lines.filter(({ isProration }) => isProration)
  const { subtotal, discount, tax, total } = computeAmounts(currentTerms(subscription), lines)
  const fromBalance = Math.min(find(context, 'customers', customer).balance, total)
  return {
    base_amount: 0,
    metered_amount: 0,
    proration_amount: sumAmounts(prorations),
    prorations: prorations.map(({ price, amount }) => ({ label: price.label, amount })),
    subtotal_amount: subtotal,
    discount_amount: discount,
    net_amount: subtotal - discount,
    tax_amount: tax,
    total_amount: total,
    applied_balance_amount: -fromBalance,
    due_amount: Math.max(0, total - fromBalance),
  }
}

function toLines(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): PricedLine[] {
  const discounts = discountsOfChange(subscription)
  const { credit, charge } = prorate(subscription, price, { now: context.now, discounts })
  return [...subscription.pendingLines, credit, charge]
}

function refuseCanceled(subscription: SubscriptionRecord): void {
  if (hasEnded(subscription) || subscription.cancelAtPeriodEnd) throw alreadyCanceled()
}

function endTrial(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): SubscriptionRecord {
  change(context, subscription, () => {
    Object.assign(subscription, { price, scheduled: null, periodEnd: context.now, trialEnd: context.now })
    subscription.anchor = context.now
  })
  return rollOver(context, subscription, renewals())
}
