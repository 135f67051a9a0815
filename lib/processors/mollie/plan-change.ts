// Changing the plan of a subscription at Mollie, which has no proration: the difference is one payment on the subscription's mandate, and
// the subscription is changed once that is paid. The payment's metadata has the change, so whoever reads it as paid makes the change
// (translate.ts), whatever crashed before.
import type * as z from 'zod'
import { toDecimalText } from '../../money/money.ts'
import {
  type PlanChange,
  type PlanChangePreview,
  type PlanChangeResult,
  ProcessorError,
  type PurchaseSnapshot,
} from '../processor.ts'
import { type MollieApi, MollieApiError, parse } from './api.ts'
import { intervalText } from './dates.ts'
import {
  type Difference,
  type FirstSale,
  OpenedPayment,
  Payment,
  type Renewal,
  type Subscription,
  type Terms,
} from './objects.ts'
import { pageLanguage } from './page-language.ts'
import {
  isReducedPayment,
  isSameTerms,
  moveCharges,
  nextTerms,
  type Plan,
  readChange,
  readPlan,
  requireRenewal,
  toTotal,
  toUnits,
  withoutPlan,
  writeAmount,
} from './plan.ts'
import { requireCustomer, updatePlan } from './subscriptions.ts'
import { hasEnded, type ObservedSale } from './translate.ts'

/** A subscription that is not cancelled, as it was read before the change. */
export interface Changeable {
  payment: Payment
  sale: FirstSale
  subscription: Subscription
  charges: Payment[]
  differences: Payment[]
  plan: Plan
  purchase: PurchaseSnapshot
}

/** Null if the subscription is cancelled: Mollie has ended it. */
export function toChangeable(observed: ObservedSale, purchase: PurchaseSnapshot): Changeable | null {
  const { payment, sale, subscriptions, charges, differences } = observed
  const [subscription] = subscriptions
  if (!subscription || !sale) {
    throw new ProcessorError('mollie', 'unavailable', 'the subscription is not created yet', { answered: true })
  }
  if (hasEnded(subscription)) return null
  return { payment, sale, subscription, charges, differences, plan: readPlan(subscription, charges), purchase }
}

/** See `ProcessorMethods.previewPlanChange`. The amount is calculated here, so it is no estimate. Null if the change would leave credit. */
export function previewChange(found: Changeable, change: PlanChange): PlanChangePreview | null {
  const { currency } = change.to
  const common = { currency, isEstimate: false }
  if (change.when === 'period_end') {
    const at = periodEnd(found)
    return { ...common, dueNow: 0, credit: 0, effectiveAt: at, next: { amount: nextAmount(found, change), at } }
  }
  const { credit, due, end } = calculate(found, change)
  if (due < 0) return null
  return { ...common, dueNow: due, credit, effectiveAt: change.pricedAt, next: { amount: total(change), at: end } }
}

/** What the charge after this period costs. If the change keeps the plan, its offer goes on. */
function nextAmount({ plan, charges }: Changeable, change: PlanChange): number {
  return isSameTerms(plan.terms, targetTerms(change)) ? toTotal(nextTerms(plan, charges)).amount : total(change)
}

/** See `ProcessorMethods.changePlan`. `found` must have no paid difference that has not changed the plan yet. */
export async function changePlan(
  api: MollieApi,
  found: Changeable,
  change: PlanChange,
  { quoted, webhookUrl }: { quoted: number | null; webhookUrl: string | null },
): Promise<PlanChangeResult | null> {
  const to = targetTerms(change)
  // Without a valid mandate nothing can be charged, and Mollie changes no suspended subscription.
  if (found.subscription.status === 'suspended') return { outcome: 'declined' }
  const pending = found.differences.find(isPending)
  if (pending) return { outcome: isSameTerms(readChange(pending).to, to) ? 'pending' : 'in_progress' }
  if (isSameTerms(found.plan.terms, to)) return keepPlan(api, found, change)
  if (change.when === 'period_end') return quoted ? { outcome: 'other_amount' } : schedule(api, found, change)
  const { due } = calculate(found, change)
  if (due < 0) return null
  if (quoted !== null && quoted !== due) return { outcome: 'other_amount' }
  return due === 0 ? changeFree(api, found, change) : chargeDifference(api, found, change, { due, webhookUrl })
}

/** Whether the subscription has the price, or will have it after its period. */
export const isChanged = ({ plan }: Changeable, change: PlanChange): boolean =>
  isSameTerms(plan.scheduled?.to ?? plan.terms, targetTerms(change))

const CHANGED: PlanChangeResult = { outcome: 'changed' }

const targetTerms = ({ to: { currency, amount, quantity, interval, intervalCount } }: PlanChange): Terms => ({
  currency,
  value: toDecimalText(amount, currency),
  quantity,
  interval: intervalText(interval, intervalCount),
})

/** The new price of a period. */
const total = ({ to }: PlanChange) => to.amount * to.quantity

function periodEnd({ purchase: { currentPeriodEnd: end } }: Changeable): Date {
  if (!end) throw new ProcessorError('mollie', 'rejected', 'the subscription has not begun', { answered: true })
  return end
}

const isOnTrial = ({ sale, charges }: Changeable) => sale.trial_days > 0 && charges.length === 0

interface Calculated {
  credit: number
  due: number
  /** The end of the period after the change. */
  end: Date
}

/**
 * What a change at once costs: the new price for the rest of its period, less what was paid for the rest of the current one. A period of
 * another length begins where the current one began, because Mollie counts an interval from the last charge. A change on trial is free.
 */
function calculate(found: Changeable, change: PlanChange): Calculated {
  const end = newPeriodEnd(found, change)
  if (isOnTrial(found)) return { credit: 0, due: 0, end }
  const start = found.purchase.currentPeriodStart ?? change.pricedAt
  const rest = (amount: number, until: Date) => Math.round(amount * shareLeft(start, until, change.pricedAt))
  const credit = rest(paidAmount(found), periodEnd(found))
  return { credit, due: rest(total(change), end) - credit, end }
}

/** The share of a period that is left: 1 at its start, 0 from its end on. */
const shareLeft = (start: Date, end: Date, now: Date) =>
  Math.min(1, Math.max(0, (end.getTime() - now.getTime()) / (end.getTime() - start.getTime())))

/** What the current period was paid for with: its price, unless an offer has reduced it, or the owner has raised it at Mollie since. */
function paidAmount({ purchase, plan, payment, charges: [latest] }: Changeable): number {
  const paid = latest ?? payment
  return purchase.priceCovered && !isReducedPayment(plan, paid) ? toTotal(plan.terms).amount : paid.amount.amount
}

const newPeriodEnd = (found: Changeable, change: PlanChange): Date =>
  moveCharges(found, found.plan.terms, targetTerms(change)).next ?? periodEnd(found)

/** The subscription has the price and the quantity: what is scheduled is undone. */
async function keepPlan(
  api: MollieApi,
  { subscription, plan, charges }: Changeable,
  change: PlanChange,
): Promise<PlanChangeResult> {
  if (!plan.scheduled) return CHANGED
  const product = change.to.processorPrice
  await updatePlan(api, subscription, {
    terms: nextTerms(plan, charges),
    product,
    metadata: { ...withPlan(subscription, plan), ...toUnits(plan.terms) },
  })
  return CHANGED
}

/** Our metadata for a subscription that keeps its plan for now, and so what an offer takes off. Without a scheduled change. */
const withPlan = (subscription: Subscription, { reduction }: Plan): Renewal => ({
  ...withoutPlan(subscription),
  ...(reduction && { reduction }),
})

/** Sets the amount now, for the next charge. The interval is set after that, as it would move the charge. */
async function schedule(api: MollieApi, found: Changeable, change: PlanChange): Promise<PlanChangeResult> {
  const { subscription, plan } = found
  const to = targetTerms(change)
  if (plan.scheduled && isSameTerms(plan.scheduled.to, to)) return CHANGED
  const scheduled = { at: periodEnd(found), from: plan.terms, to }
  await updatePlan(api, subscription, {
    terms: { ...to, interval: plan.terms.interval },
    product: change.to.processorPrice,
    metadata: { ...withPlan(subscription, plan), scheduled },
  })
  return CHANGED
}

/** Nothing is due, as on trial. */
async function changeFree(api: MollieApi, found: Changeable, change: PlanChange): Promise<PlanChangeResult> {
  const { subscription, plan } = found
  const terms = targetTerms(change)
  const { startDate, countsFrom } = moveCharges(found, plan.terms, terms)
  const counted = countsFrom && { counted_from: countsFrom }
  const metadata = { ...withoutPlan(subscription), ...counted, changed: { at: change.pricedAt, to: terms } }
  await updatePlan(api, subscription, { terms, product: change.to.processorPrice, metadata, startDate })
  return CHANGED
}

interface Charge {
  due: number
  webhookUrl: string | null
}

/**
 * Charges the difference. A retry gets the same payment, for longer than a change can be retried. One that is paid has changed the plan by
 * then.
 */
async function chargeDifference(
  api: MollieApi,
  found: Changeable,
  change: PlanChange,
  charge: Charge,
): Promise<PlanChangeResult> {
  const made = await payByMandate(api, found, change, charge)
  if (made && isPending(made)) return { outcome: 'pending' }
  if (made?.status === 'paid') return CHANGED
  return payOnPage(api, found, change, charge)
}

/** Null if there is no mandate to charge. Its subscription's is not read, as another one of the buyer must not be charged. */
async function payByMandate(
  api: MollieApi,
  found: Changeable,
  change: PlanChange,
  charge: Charge,
): Promise<Payment | null> {
  const { mandateId } = found.subscription
  const body = {
    ...differenceFor(found, change, charge),
    sequenceType: 'recurring',
    redirectUrl: null,
    ...(mandateId && { mandateId }),
  }
  try {
    return parse(Payment, await api.post('/payments', body, change.key))
  } catch (error) {
    if (!isRefused(error)) throw error
    return null
  }
}

/**
 * The buyer pays the difference on a page, perhaps with another card, which is charged from then on. The page returns to where the page of
 * the first payment did.
 */
async function payOnPage(
  api: MollieApi,
  found: Changeable,
  change: PlanChange,
  charge: Charge,
): Promise<PlanChangeResult> {
  const { redirectUrl, cancelUrl } = found.payment
  if (!redirectUrl) return { outcome: 'declined' }
  const body = {
    ...differenceFor(found, change, charge),
    sequenceType: 'first',
    redirectUrl,
    ...(cancelUrl && { cancelUrl }),
    ...pageLanguage(change.options ?? {}),
  }
  try {
    const { _links } = parse(OpenedPayment, await api.post('/payments', body, `${change.key}:page`))
    return { outcome: 'payment_required', url: _links.checkout.href }
  } catch (error) {
    if (!isRefused(error)) throw error
    return { outcome: 'declined' }
  }
}

/** Mollie answers 422 to a payment that it cannot make. */
const isRefused = (error: unknown) => error instanceof MollieApiError && error.status === 422

function differenceFor(
  { payment, purchase, subscription, plan }: Changeable,
  change: PlanChange,
  { due, webhookUrl }: Charge,
) {
  const { checkout_id, paywall_id, user_id, first_payment } = requireRenewal(subscription)
  const { currency, processorPrice } = change.to
  const metadata: z.input<typeof Difference> = {
    checkout_id,
    paywall_id,
    user_id,
    first_payment,
    change: {
      key: change.key,
      from: plan.terms,
      to: targetTerms(change),
      period_start: (purchase.currentPeriodStart ?? change.pricedAt).toISOString(),
    },
  }
  return {
    amount: writeAmount({ currency, amount: due }),
    description: processorPrice,
    customerId: requireCustomer(payment),
    ...(webhookUrl !== null && { webhookUrl }),
    metadata,
  }
}

/** A payment on a page that nobody has paid yet may never be. */
export const isPending = ({ status, sequenceType }: Payment) =>
  status === 'pending' || status === 'authorized' || (status === 'open' && sequenceType === 'recurring')
