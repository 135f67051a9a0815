import { type AccountContext, newRecord } from '../core/domain/context.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import { payChange, prorate, refuseDeclined, refuseUnchangeable } from '../core/domain/plan-changes.ts'
import type { PricedLine, SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change } from '../core/domain/subscriptions.ts'
import { badRequest } from './errors.ts'
import { findLicense } from './objects/license.ts'

/**
 * What a change of plan charges at once. A period begins with the change: "Freemius' proration … will restart the billing date based on the
 * time of the plan update". The rest of the last payment for the old plan is credited, up to the new price, and up to that payment if it
 * was made before its period; a plan that cost nothing leaves nothing to credit
 * (freemius.com/help/documentation/checkout/features/proration). That the rest counts by the second instead of by the day is UNVERIFIED.
 */
export function chargeFor(context: AccountContext, old: SubscriptionRecord, price: SoldPrice) {
  const { status, amount, tax } = latestInvoice(context, old)
  const paid = { ...old.price, amount: status === 'paid' ? amount - tax : 0 }
  const now = { now: context.now, anew: true }
  const { credit, charge, period } = prorate({ ...old, price: paid, quantity: 1 }, price, now)
  const lines: PricedLine[] = [{ ...credit, amount: -Math.min(-credit.amount, paid.amount, charge.amount) }, charge]
  return { lines, period }
}

/**
 * The buyer changes the plan, in the portal or on the page of an upgrade link: the licence gets it with a new subscription, and the old one
 * is cancelled. UNVERIFIED: that a cancelled subscription is refused, that a trial ends, and that a change to the current plan begins
 * another period.
 */
export function changePlan(context: AccountContext, old: SubscriptionRecord, price: SoldPrice): SubscriptionRecord {
  refuseUnchangeable(context, old)
  if (old.canceledAt !== null) throw badRequest(`Subscription ${old.id} is cancelled.`)
  const { lines, period } = chargeFor(context, old, price)
  refuseDeclined(context, old, lines)
  const license = findLicense(old, context)
  const before = license.price
  const { id, created: now } = newRecord(context, 'subscriptions')
  // Times are whole seconds, and no buyer changes the plan in the second of the purchase.
  const created = Math.max(now, old.created + 1)
  const running = { status: 'active', trialEnd: null } as const
  const subscription = { ...structuredClone(old), id, created, price, ...period, ...running }
  context.records.subscriptions.set(id, subscription)
  Object.assign(license, { price, subscription: id })
  license.own = { ...license.own, before: before.id }
  context.emit({ what: 'page.plan_changed', page: license })
  context.emit({ what: 'subscription.created', subscription })
  change(context, old, () => Object.assign(old, { status: 'canceled', canceledAt: created, endedAt: created }))
  payChange(context, subscription, lines)
  return subscription
}
