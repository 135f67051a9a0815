import * as z from 'zod'
import { computeAmounts, currentTerms } from '../core/domain/amounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { periodLine } from '../core/domain/invoices.ts'
import { type Plan, prorate, refuseUnchangeable } from '../core/domain/plan-changes.ts'
import { beginNextPeriod } from '../core/domain/renewals.ts'
import type { PricedLine, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { boolean, text } from '../core/wire/form-fields.ts'
import { type Route, route } from '../core/wire/routes.ts'
import { wrongState } from './errors.ts'
import { subscriptionStatus } from './objects/selling.ts'
import { complete, content } from './objects/wire.ts'
import {
  discountsOfChange,
  findPlan,
  isFree,
  itemParameters,
  refuseScheduling,
  timingParameters,
} from './plan-changes.ts'

const EstimateParameters = z.strictObject({
  ...itemParameters,
  ...timingParameters,
  subscription: z.strictObject({ id: text(50) }),
  use_existing_balances: boolean.default(true),
})

/**
 * What a change would cost (apidocs.chargebee.com/docs/api/estimates/update-subscription-for-items-estimate). `invoice_estimate` is "the
 * immediate invoice, if it is generated", otherwise `next_invoice_estimate` is "the invoice to be generated later (if any)".
 */
function estimateUpdate(context: AccountContext, given: z.output<typeof EstimateParameters>) {
  const subscription = structuredClone(find(context, 'subscriptions', given.subscription.id, 'subscription[id]'))
  refuseUnchangeable(context, subscription)
  const plan = findPlan(context, subscription, given.subscription_items)
  const { balance } = find(context, 'customers', subscription.customer)
  const existing = given.use_existing_balances ? balance : 0
  if (given.end_of_term) refuseScheduling(subscription)
  const isNow = !given.end_of_term && !isFree(subscription, plan)
  if (isNow && given.invoice_immediately === false) throw wrongState('Unbilled charges are not estimated here.')
  const invoices = isNow
    ? estimateNow(context, subscription, plan, existing)
    : estimateNext(subscription, plan, existing)
  const { id, cancelAt, periodEnd } = subscription
  return content(
    complete('estimate', {
      created_at: context.now,
      subscription_estimate: complete('subscription_estimate', {
        id,
        currency_code: plan.price.currency,
        status: subscriptionStatus(subscription),
        ...(cancelAt === null && { next_billing_at: periodEnd }),
      }),
      ...invoices,
    }),
  )
}

/** The credit note for the unused time pays for the invoice before the customer's other credits: that is UNVERIFIED. */
function estimateNow(context: AccountContext, subscription: SubscriptionRecord, plan: Plan, existing: number) {
  const { price, quantity } = plan
  const discounts = discountsOfChange(subscription, price)
  const { credit, charge, period } = prorate(subscription, price, { now: context.now, quantity, discounts })
  const credits = -computeAmounts(currentTerms(subscription), [credit]).total
  Object.assign(subscription, { ...plan, ...period })
  const invoice = invoiceEstimate(subscription, [...subscription.pendingLines, charge], credits + existing)
  const allocated = Math.min(credits, invoice.total ?? 0)
  return {
    invoice_estimate: invoice,
    credit_note_estimates: [
      complete('credit_note_estimate', {
        reference_invoice_id: subscription.latestInvoice ?? '',
        currency_code: price.currency,
        sub_total: -credit.amount,
        total: credits,
        amount_allocated: allocated,
        amount_available: credits - allocated,
        line_items: [lineEstimate({ ...credit, amount: -credit.amount })],
      }),
    ],
  }
}

/** What would be charged if the plan were changed now. */
export function estimateChange(context: AccountContext, subscription: SubscriptionRecord, plan: Plan): number {
  if (isFree(subscription, plan)) return 0
  const { balance } = find(context, 'customers', subscription.customer)
  return estimateNow(context, structuredClone(subscription), plan, balance).invoice_estimate.amount_due ?? 0
}

/** The invoice of the next term. A subscription that is scheduled to end has none. */
function estimateNext(subscription: SubscriptionRecord, plan: Plan, existing: number) {
  if (subscription.cancelAt !== null) return {}
  const next = structuredClone(subscription)
  Object.assign(next, plan)
  beginNextPeriod(next)
  return { next_invoice_estimate: invoiceEstimate(next, [periodLine(next)], existing) }
}

function invoiceEstimate(subscription: SubscriptionRecord, lines: PricedLine[], credits: number) {
  const { customer, price } = subscription
  const { subtotal, discount, tax, total } = computeAmounts(currentTerms(subscription), lines)
  const applied = Math.min(credits, total)
  return complete('invoice_estimate', {
    customer_id: customer,
    currency_code: price.currency,
    sub_total: subtotal,
    total,
    credits_applied: applied,
    amount_due: total - applied,
    line_items: lines.map(lineEstimate),
    ...(discount > 0 && { discounts: [complete('discount', { amount: discount })] }),
    ...(tax > 0 && { taxes: [complete('tax', { amount: tax })] }),
  })
}

const lineEstimate = ({ price, quantity, amount, periodStart, periodEnd }: PricedLine) =>
  complete('line_item', {
    date_from: periodStart,
    date_to: periodEnd,
    unit_amount: amount / quantity,
    quantity,
    amount,
    description: price.label,
    entity_id: price.id,
    entity_type: 'plan_item_price',
  })

export const ESTIMATE_ROUTES: Route[] = [
  route('POST', '/estimates/update_subscription_for_items', EstimateParameters, estimateUpdate),
]
