// Changing the plan of a subscription at Chargebee. The subscription is read before it is changed: what an earlier attempt has done is not
// done again.
import * as z from 'zod'
import { intervalsLater } from '../later.ts'
import { type PlanChange, type PlanChangePreview, type PlanChangeResult, ProcessorError } from '../processor.ts'
import { parseReply, RestError } from '../rest.ts'
import type { Calls, Fields } from './api.ts'
import { isRefused, readSubscription } from './charging.ts'
import { EstimateReply, OpenedPageReply, type Subscription, SubscriptionReply } from './objects.ts'
import { fromChargebee, isPlan, isScheduledToEnd } from './translate.ts'

/**
 * See `ProcessorMethods.previewPlanChange`. By default Chargebee prorates by the millisecond, up to the moment of the change, so the amounts
 * of a change at once are estimates. A change in a trial is free.
 */
export async function previewPlanChange(calls: Calls, change: PlanChange): Promise<PlanChangePreview> {
  const subscription = await readChangeable(calls, change)
  const { currency_code: currency } = subscription
  const money = (amount: number) => fromChargebee(amount, currency)
  const termEnd = findTermEnd(subscription)
  const renewal = await estimateRenewal(calls, subscription, change)
  if (change.when === 'period_end') {
    const next = { amount: renewal ? money(renewal.amount_due) : total(change), at: termEnd }
    return { currency, isEstimate: false, dueNow: 0, credit: 0, effectiveAt: termEnd, next }
  }
  const now = await estimate(calls, subscription, change, AT_ONCE)
  const { subscription_estimate: changed, invoice_estimate: invoice, credit_note_estimates: notes } = now
  const credits = notes.map(({ total }) => money(total))
  const creditsLeft = notes.map(({ amount_available: left }) => money(left))
  const period = renewal ? money(renewal.total) : total(change)
  return {
    currency,
    isEstimate: true,
    dueNow: invoice ? money(invoice.amount_due) : 0,
    credit: sum(credits),
    effectiveAt: change.pricedAt,
    next: {
      amount: Math.max(0, period - sum(creditsLeft)),
      at: changed?.next_billing_at ?? nextBilling(subscription, change, termEnd),
    },
  }
}

/** See `ProcessorMethods.changePlan`. Chargebee cannot be limited to the quoted amount. */
export async function changePlan(calls: Calls, change: PlanChange): Promise<PlanChangeResult> {
  const found = await readChangeable(calls, change)
  if (hasPlan(found, change)) return keepPlan(calls, found, change)
  return change.when === 'now' ? changeNow(calls, found, change) : schedule(calls, found, change)
}

const CHANGED: PlanChangeResult = { outcome: 'changed' }

/** Whatever the site's settings are: the unused time is credited, and the difference invoiced and charged. */
const AT_ONCE: Fields = { prorate: 'true', invoice_immediately: 'true' }

const AT_END_OF_TERM: Fields = { end_of_term: 'true' }

/** Chargebee would reactivate a subscription that has ended meanwhile, and charge for it, if this were omitted. */
const NO_REACTIVATION: Fields = { reactivate: 'false' }

const CHANGEABLE: readonly Subscription['status'][] = ['active', 'non_renewing', 'in_trial']

async function readChangeable(calls: Calls, { subscriptionId: id }: PlanChange): Promise<Subscription> {
  const subscription = await readSubscription(calls, id)
  const { status } = subscription
  if (CHANGEABLE.includes(status)) return subscription
  throw new ProcessorError('chargebee', 'rejected', `a ${status} subscription cannot be changed`, { answered: true })
}

const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown) => parseReply('chargebee', schema, reply)

const toPath = ({ id }: Subscription) => `/subscriptions/${encodeURIComponent(id)}`

const hasPlan = (subscription: Subscription, { to }: PlanChange) => isPlan(subscription, to.processorPrice, to.quantity)

/** The price of a period. */
const total = ({ to }: PlanChange) => to.amount * to.quantity

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)

function findTermEnd({ current_term_end: end, trial_end: trialEnd }: Subscription): Date {
  const termEnd = end ?? trialEnd
  if (!termEnd) throw unconfirmed('the subscription has no term')
  return termEnd
}

/** Chargebee begins a new term if the billing period differs, except in a trial. */
function nextBilling(subscription: Subscription, { to, pricedAt }: PlanChange, termEnd: Date): Date {
  const { status, billing_period: count, billing_period_unit: interval } = subscription
  const isSame = status === 'in_trial' || (count === to.intervalCount && interval === to.interval)
  return isSame ? termEnd : intervalsLater(pricedAt, to.interval, to.intervalCount)
}

/** The items after the change: the new plan instead of the current one, and the add-ons, which stay as they are. */
function itemFields(subscription: Subscription, { to }: PlanChange): Fields {
  const addons = subscription.subscription_items.filter(({ item_type }) => item_type === 'addon')
  const kept = [{ item_price_id: to.processorPrice, quantity: to.quantity }, ...addons]
  const fields = kept.flatMap(({ item_price_id: id, quantity }, index) => [
    ...(id === undefined ? [] : [[`subscription_items[item_price_id][${index}]`, id]]),
    ...(quantity === undefined ? [] : [[`subscription_items[quantity][${index}]`, quantity]]),
  ])
  return { replace_items_list: 'true', ...Object.fromEntries(fields) }
}

/** What a change would cost. Estimates have no idempotency keys. */
async function estimate({ post }: Calls, subscription: Subscription, change: PlanChange, when: Fields) {
  const fields = { ...itemFields(subscription, change), ...NO_REACTIVATION, ...when }
  const reply = await post('/estimates/update_subscription_for_items', {
    'subscription[id]': subscription.id,
    ...fields,
  })
  return parse(EstimateReply, reply).estimate
}

/**
 * The invoice of the next period at the new price. The customer's credits pay for it, unless a change at once uses them up before. Null if
 * the subscription is scheduled to end: then Chargebee may refuse the estimate, or estimate no invoice.
 */
async function estimateRenewal(calls: Calls, subscription: Subscription, change: PlanChange) {
  const when = { ...AT_END_OF_TERM, use_existing_balances: String(change.when === 'period_end') }
  try {
    const { next_invoice_estimate: next } = await estimate(calls, subscription, change, when)
    if (next) return next
  } catch (error) {
    if (!isRefused(error) || !isScheduledToEnd(subscription)) throw error
  }
  if (isScheduledToEnd(subscription)) return null
  throw unconfirmed('no estimate of the next invoice')
}

async function update(
  { post }: Calls,
  subscription: Subscription,
  change: PlanChange,
  when: Fields,
): Promise<Subscription> {
  const fields = { ...itemFields(subscription, change), ...NO_REACTIVATION, ...when }
  const reply = await post(`${toPath(subscription)}/update_for_items`, fields, change.key)
  return parse(SubscriptionReply, reply).subscription
}

/**
 * If the charge is declined, or its buyer must authenticate, no document says what Chargebee does. Either it refuses the change: then the
 * buyer can make it on a page, and pay there with another card. Or it makes the change, and its invoice is due: see `keepPlan`.
 */
async function changeNow(calls: Calls, found: Subscription, change: PlanChange): Promise<PlanChangeResult> {
  const changed = await update(calls, found, change, AT_ONCE).catch((error) => {
    if (!isPaymentError(error)) throw error
    return null
  })
  if (changed === null) return payOnPage(calls, found, change)
  if (!hasPlan(changed, change)) throw unconfirmed('the plan is unchanged')
  return keepPlan(calls, changed, change)
}

const PaymentError = z.object({ type: z.literal('payment') })

const isPaymentError = (error: unknown) => error instanceof RestError && PaymentError.safeParse(error.body).success

/**
 * The page changes this subscription once it is paid, and prorates and invoices as the site is set up. That it also undoes a scheduled
 * cancellation is not documented, so the buyer of a cancelled subscription must not pay there.
 */
async function payOnPage(calls: Calls, found: Subscription, change: PlanChange): Promise<PlanChangeResult> {
  if (isScheduledToEnd(found)) return { outcome: 'declined' }
  const fields = { 'subscription[id]': found.id, ...itemFields(found, change), ...NO_REACTIVATION }
  const url = await openPage(calls, 'checkout_existing_for_items', { layout: 'full_page', ...fields }, change)
  return url === null ? { outcome: 'declined' } : { outcome: 'payment_required', url }
}

/** Null if the site refuses to open the page. A retry gets the same page for half an hour. */
async function openPage({ post }: Calls, name: string, fields: Fields, { key }: PlanChange): Promise<string | null> {
  try {
    return parse(OpenedPageReply, await post(`/hosted_pages/${name}`, fields, `${key}:${name}`)).hosted_page.url
  } catch (error) {
    if (!isRefused(error)) throw error
    return null
  }
}

/**
 * The subscription has the price and the quantity: what is scheduled is removed, and a scheduled cancellation undone. Not so if it owes the
 * difference, which its buyer can pay on a page: a buyer who wanted to leave must not be charged again without having paid for the change.
 */
async function keepPlan(calls: Calls, subscription: Subscription, change: PlanChange): Promise<PlanChangeResult> {
  if (subscription.has_scheduled_changes) await removeScheduledChanges(calls, subscription)
  if (subscription.due_invoices_count > 0) {
    const url = await openPage(calls, 'collect_now', { 'customer[id]': subscription.customer_id }, change)
    return url === null ? CHANGED : { outcome: 'payment_required', url }
  }
  if (isScheduledToEnd(subscription)) await undoCancellation(calls, subscription)
  return CHANGED
}

/** Schedules the price and the quantity for the next term, in place of any scheduled change. Nothing is charged now. */
async function schedule(calls: Calls, found: Subscription, change: PlanChange): Promise<PlanChangeResult> {
  const scheduled = await update(calls, found, change, AT_END_OF_TERM).catch((error) => {
    if (!isRefused(error) || !isScheduledToEnd(found)) throw error
    return null
  })
  // Whether it schedules a change of a subscription that has no next term is not documented.
  if (scheduled === null) return { outcome: 'cancelled' }
  if (!scheduled.has_scheduled_changes) throw unconfirmed('the change is not scheduled')
  if (isScheduledToEnd(scheduled)) await undoCancellation(calls, scheduled)
  return CHANGED
}

const undoCancellation = (calls: Calls, subscription: Subscription) =>
  remove(calls, subscription, 'cancellation', isScheduledToEnd)

const removeScheduledChanges = (calls: Calls, subscription: Subscription) =>
  remove(calls, subscription, 'changes', ({ has_scheduled_changes: has }) => has)

/** Removes what is scheduled. A refusal is harmless if it was removed meanwhile, such as by the buyer in the portal. */
async function remove(
  calls: Calls,
  subscription: Subscription,
  what: 'cancellation' | 'changes',
  isScheduled: (subscription: Subscription) => boolean,
): Promise<void> {
  try {
    await calls.post(`${toPath(subscription)}/remove_scheduled_${what}`, {})
  } catch (error) {
    if (!isRefused(error)) throw error
    if (isScheduled(await readSubscription(calls, subscription.id))) throw error
  }
}

/** A reply that does not show the result: the next attempt reads it. */
const unconfirmed = (what: string) => new ProcessorError('chargebee', 'unavailable', what, { answered: true })
