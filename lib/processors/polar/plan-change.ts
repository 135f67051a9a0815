// Changing the plan of a subscription at Polar. It has no idempotency keys, so the subscription is read before it is changed: what an earlier
// attempt has done is not done again.
import type { PolarCore } from '@polar-sh/sdk/2026-10'
import { getSubscriptions, updateSubscriptions } from '@polar-sh/sdk/2026-10/services/subscriptions'
import { intervalsLater } from '../later.ts'
import { type PlanChange, type PlanChangePreview, type PlanChangeResult, ProcessorError } from '../processor.ts'
import { withTax } from '../taxes.ts'
import { PolarRefusal, parse } from './api.ts'
import { ChargePreview, Subscription } from './objects.ts'

/**
 * See `ProcessorMethods.previewPlanChange`. Polar prorates by the second, up to the moment of the change, so the amounts are estimates. A change
 * at once ends a trial. A change at the end of the period is previewed as one at once, too: the reply contains the taxes, and Polar refuses
 * what cannot be changed.
 */
export async function previewPlanChange(api: PolarCore, change: PlanChange): Promise<PlanChangePreview> {
  const subscription = parse(Subscription, await getSubscriptions(api)(change.subscriptionId))
  const { currency, current_period_end: periodEnd } = subscription
  const { to, pricedAt } = change
  const {
    due_amount: dueNow,
    prorations,
    net_amount: net,
    total_amount: total,
  } = await previewCharge(api, subscription.id, taxedProduct(subscription, change))
  const common = { currency, isEstimate: true }
  const nextAmount = withTax(await nextPrice(api, subscription, change), { net, total })
  if (change.when === 'period_end') {
    return { ...common, dueNow: 0, credit: 0, effectiveAt: periodEnd, next: { amount: nextAmount, at: periodEnd } }
  }
  const credits = prorations.filter(({ amount }) => amount < 0)
  const at = beginsPeriod(subscription, change) ? intervalsLater(pricedAt, to.interval, to.intervalCount) : periodEnd
  return {
    ...common,
    dueNow,
    credit: withTax(
      credits.reduce((sum, { amount }) => sum - amount, 0),
      { net, total },
    ),
    effectiveAt: pricedAt,
    next: { amount: nextAmount, at },
  }
}

/**
 * The new price, after the discount that the subscription has if it still has it in the next period (`_clear_expired_discount` in
 * server/polar/subscription/service.py). One that does not last for ever is taken to have ended with a period of another length.
 */
async function nextPrice(api: PolarCore, subscription: Subscription, change: PlanChange): Promise<number> {
  const { discount, currency } = subscription
  const { amount } = change.to
  if (discount === null || !(await lastsIntoNext(api, subscription, change))) return amount
  const { basis_points: points, amounts = {} } = discount
  if (points !== undefined) return amount - Math.round((amount * points) / 10_000)
  return Math.max(0, amount - (amounts[currency.toLowerCase()] ?? 0))
}

async function lastsIntoNext(api: PolarCore, subscription: Subscription, change: PlanChange): Promise<boolean> {
  if (subscription.discount?.duration === 'forever') return true
  if (beginsPeriod(subscription, change)) return false
  const request = api.buildRequest('GET', '/v1/subscriptions/{id}/charge-preview', { id: subscription.id }, {})
  const response = await api.sendRequest(request)
  return parse(ChargePreview, await response.json()).discount_amount > 0
}

/** The product whose taxes a preview shows. Keeping the current one costs nothing: the taxes are those of the product that is scheduled. */
const taxedProduct = ({ product_id: now, pending_update: pending }: Subscription, { to }: PlanChange): string =>
  (to.processorPrice === now && pending?.product_id) || to.processorPrice

/**
 * See `ProcessorMethods.changePlan`. To keep the product that the subscription has, what is scheduled is removed. Polar cannot be limited to
 * the quoted amount. It refuses a change whose charge is declined, or must be authenticated by the buyer, and has no page for that.
 */
export async function changePlan(api: PolarCore, change: PlanChange): Promise<PlanChangeResult> {
  // Polar answers an empty change from its primary database, and a GET from a replica, which may not show an earlier attempt yet.
  const found = parse(Subscription, await updateSubscriptions(api)(change.subscriptionId, {}))
  if (hasPlan(found, change)) return { outcome: 'changed' }
  const { processorPrice: product_id } = change.to
  const update =
    product_id === found.product_id
      ? { pending_update: null }
      : { product_id, proration_behavior: PRORATION[change.when] }
  try {
    if (hasPlan(parse(Subscription, await updateSubscriptions(api)(found.id, update)), change))
      return { outcome: 'changed' }
  } catch (error) {
    if (!(error instanceof PolarRefusal)) throw error
    if (error.status === PAYMENT_REQUIRED) return { outcome: 'declined' }
    if (error.code === 'AlreadyCanceledSubscription') return { outcome: 'cancelled' }
    throw error
  }
  throw new ProcessorError('polar', 'unavailable', 'the plan is unchanged', { answered: true })
}

const PRORATION = { now: 'invoice', period_end: 'next_period' } as const

const PAYMENT_REQUIRED = 402

/** Whether the subscription has the plan, or will have it at the end of its period. A change at once replaces a scheduled one. */
function hasPlan({ product_id: now, pending_update: pending }: Subscription, { to, when }: PlanChange): boolean {
  const next = pending?.product_id ?? now
  return next === to.processorPrice && (when === 'period_end' || now === to.processorPrice)
}

/** Whether a change at once begins a new period. */
const beginsPeriod = (subscription: Subscription, { to }: PlanChange) =>
  subscription.status === 'trialing' ||
  subscription.recurring_interval !== to.interval ||
  subscription.recurring_interval_count !== to.intervalCount

/** The charge of a change at once. The SDK lacks this call, which Polar's own portal and dashboard make. */
async function previewCharge(api: PolarCore, id: string, product: string): Promise<ChargePreview> {
  const body = { product_id: product, proration_behavior: PRORATION.now }
  const request = api.buildRequest('POST', '/v1/subscriptions/{id}/change-preview', { id }, {}, body)
  const response = await api.sendRequest(request)
  return parse(ChargePreview, await response.json())
}
