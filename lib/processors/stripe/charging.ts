// Ending a subscription at Stripe. Each step leaves a state from which a retry can continue, so neither a crash between two steps nor a
// second caller does harm.
import Stripe from 'stripe'
import { ProcessorError } from '../processor.ts'
import { parse } from './api.ts'
import { InvoiceStatus, InvoiceStatuses, PendingItems, SubscriptionWithInvoice } from './objects.ts'
import { endsWithPeriod, hasEnded, isPaidUp } from './translate.ts'

/** Maximum page size of Stripe's lists. */
const LIMIT = 100

/** Ends a subscription with its period. Idempotent. */
export function endWithPeriod(
  api: Stripe,
  id: string,
  more: Stripe.SubscriptionUpdateParams = {},
): Promise<Stripe.Subscription> {
  return withoutSchedule(api, id, () => api.subscriptions.update(id, { ...more, cancel_at_period_end: true }))
}

/**
 * See `ProcessorMethods.stopCharging`. The end is scheduled first, and pending items are deleted: while a payment is processing, Stripe
 * refuses to void its invoice, and no further period must begin until it does.
 */
export async function stopCharging(api: Stripe, id: string): Promise<void> {
  const subscription = await scheduleEnd(api, await read(api, id))
  await deletePendingItems(api, subscription)
  // Earlier periods may be owed, too. And the next one may have begun before the end was scheduled: it would still be charged.
  await voidInvoices(api, id)
  if (!isPaidUp(subscription)) await endUnlessPaid(api, id)
}

/** See `Adapter.endNow`. */
export async function endNow(api: Stripe, id: string): Promise<void> {
  const subscription = await read(api, id)
  if (!hasEnded(subscription)) await end(api, id)
  await deletePendingItems(api, subscription)
  await voidInvoices(api, id)
}

const read = async (api: Stripe, id: string) =>
  parse(SubscriptionWithInvoice, await api.subscriptions.retrieve(id, { expand: ['latest_invoice'] }))

type Subscription = Awaited<ReturnType<typeof read>>

const willNotRenew = (subscription: Subscription) => endsWithPeriod(subscription) || hasEnded(subscription)

/**
 * Schedules the end with the period unless that is done, and returns the result. Throws if Stripe accepts that and its reply does not show
 * the end. Stripe refuses it for an incomplete subscription: whatever is not paid up ends at once instead.
 */
async function scheduleEnd(api: Stripe, subscription: Subscription): Promise<Subscription> {
  if (willNotRenew(subscription)) return subscription
  try {
    const reply = await endWithPeriod(api, subscription.id, { expand: ['latest_invoice'] })
    const ending = parse(SubscriptionWithInvoice, reply)
    if (!willNotRenew(ending)) throw unconfirmed('the end is not scheduled')
    return ending
  } catch (error) {
    if (!isRefused(error)) throw error
    const current = await read(api, subscription.id)
    if (isPaidUp(current) && !willNotRenew(current)) throw error
    return current
  }
}

/** Ends at once. If a concurrent payment has succeeded, the paid period continues to its end. */
async function endUnlessPaid(api: Stripe, id: string): Promise<void> {
  const current = await read(api, id)
  if (isPaidUp(current)) await scheduleEnd(api, current)
  else if (!hasEnded(current)) await end(api, id)
}

/** Ends at once. Throws if Stripe accepts that and its reply does not show the end. */
const end = (api: Stripe, id: string) =>
  unlessMissing(async () => {
    const params = { expand: ['latest_invoice'] }
    const reply = await withoutSchedule(api, id, () => api.subscriptions.cancel(id, params))
    if (!hasEnded(parse(SubscriptionWithInvoice, reply))) throw unconfirmed('the subscription has not ended')
  })

export const unconfirmed = (message: string) => new ProcessorError('stripe', 'unavailable', message, { answered: true })

/**
 * Makes a call that Stripe refuses while a schedule manages the subscription, such as one with which the portal downgrades it at the end of
 * its period: then releases it from the schedule, and repeats the call. The release keeps an end that the schedule has set, so that a crash
 * after it loses only the change of plan.
 */
async function withoutSchedule<Reply>(api: Stripe, id: string, call: () => Promise<Reply>): Promise<Reply> {
  try {
    return await call()
  } catch (error) {
    // Stripe has only a message for it, and no code.
    if (!isRefused(error) || !error.message.includes('managed by the subscription schedule')) throw error
    const { schedule } = await read(api, id)
    if (schedule !== null) await release(api, schedule)
    return call()
  }
}

/** A concurrent caller may have released it. If it is refused for another reason, so is the call that needs it. */
export async function release(api: Stripe, schedule: string): Promise<void> {
  try {
    await api.subscriptionSchedules.release(schedule, { preserve_cancel_date: true })
  } catch (error) {
    if (!isRefused(error)) throw error
  }
}

/** Voids all invoices that a subscription owes. */
async function voidInvoices(api: Stripe, subscription: string): Promise<void> {
  const { data } = parse(InvoiceStatuses, await api.invoices.list({ subscription, limit: LIMIT }))
  for (const invoice of data.filter(isOwed)) await voidInvoice(api, invoice.id)
}

/**
 * A renewal's invoice is a draft for an hour, and only a final one can be voided. A refusal is harmless if the invoice was paid or voided
 * meanwhile.
 */
async function voidInvoice(api: Stripe, id: string): Promise<void> {
  try {
    await finalize(api, id)
    await api.invoices.voidInvoice(id)
  } catch (error) {
    if (!isRefused(error) || isOwed(parse(InvoiceStatus, await api.invoices.retrieve(id)))) throw error
  }
}

/** Refused if it is already final. */
async function finalize(api: Stripe, id: string): Promise<void> {
  try {
    await api.invoices.finalizeInvoice(id, { auto_advance: false })
  } catch (error) {
    if (!isRefused(error)) throw error
  }
}

const isOwed = ({ status }: { status: string | null }) => status === 'draft' || status === 'open'

/** Deletes pending items of a change of plan, which would be charged at the end of the period even if the subscription ends with it. */
async function deletePendingItems(
  api: Stripe,
  { id, customer }: { id: string; customer: string | null },
): Promise<void> {
  if (customer === null) return
  const { data } = parse(PendingItems, await api.invoiceItems.list({ customer, pending: true, limit: LIMIT }))
  for (const { id: item, parent } of data) {
    if (parent?.subscription_details?.subscription === id) await unlessMissing(() => api.invoiceItems.del(item))
  }
}

export const isRefused = (error: unknown) => error instanceof Stripe.errors.StripeInvalidRequestError

/** Stripe answers 404 for what has already ended. */
async function unlessMissing(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!isRefused(error) || error.code !== 'resource_missing') throw error
  }
}
