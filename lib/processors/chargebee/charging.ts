// Ending a subscription at Chargebee. Each step leaves a state from which a retry can continue, so neither a crash between two steps nor a
// second caller does harm.
import { ProcessorError } from '../processor.ts'
import { RestError } from '../rest.ts'
import type { Calls, Fields } from './api.ts'
import {
  type Invoice,
  InvoiceList,
  InvoiceReply,
  type Subscription,
  SubscriptionReply,
  UnbilledChargeList,
} from './objects.ts'
import { isScheduledToEnd, isTermVoided } from './translate.ts'

/** Maximum page size of Chargebee's lists. */
const LIMIT = 100

const END_OF_TERM = { cancel_option: 'end_of_term' }

/** Ends now. Nothing is collected first, and the rest of the term is not refunded. */
const AT_ONCE = {
  cancel_option: 'immediately',
  account_receivables_handling: 'no_action',
  credit_option_for_current_term_charges: 'none',
  unbilled_charges_option: 'delete',
}

/**
 * See `ProcessorMethods.stopCharging`. The end is scheduled first, and unbilled charges are deleted: while a payment is pending, Chargebee
 * refuses to void its invoice, and no further term must begin until it does.
 */
export async function stopCharging(calls: Calls, id: string): Promise<void> {
  const billed = await scheduleEnd(calls, await read(calls, id))
  await deleteUnbilled(calls, id)
  // Its next term may have begun before the end was scheduled: that one would still be charged.
  if (isPaidUp(billed)) return
  await voidInvoices(calls, billed)
  await endUnlessPaid(calls, id)
}

/** See `Adapter.endNow`. */
export async function endNow(calls: Calls, id: string): Promise<void> {
  const billed = await read(calls, id)
  await voidInvoices(calls, hasEnded(billed) ? billed : await cancel(calls, id, AT_ONCE, hasEnded))
}

/** Schedules the end with the term unless that is done, and returns the result. What is not paid up ends at once if that is refused. */
async function scheduleEnd(calls: Calls, billed: Billed): Promise<Billed> {
  if (willNotRenew(billed)) return billed
  try {
    return await cancel(calls, billed.subscription.id, END_OF_TERM, willNotRenew)
  } catch (error) {
    if (!isRefused(error) || isPaidUp(billed)) throw error
    return billed
  }
}

/** Ends at once. If a concurrent payment has succeeded, the paid term continues to its end. */
async function endUnlessPaid(calls: Calls, id: string): Promise<void> {
  const current = await read(calls, id)
  if (isPaidUp(current)) await scheduleEnd(calls, current)
  else if (!hasEnded(current)) await cancel(calls, id, AT_ONCE, hasEnded)
}

interface Billed {
  subscription: Subscription
  invoices: Invoice[]
}

async function read(calls: Calls, id: string): Promise<Billed> {
  const subscription = await readSubscription(calls, id)
  const query = new URLSearchParams({ limit: String(LIMIT), 'subscription_id[is]': id, 'sort_by[desc]': 'date' })
  const invoices = (await calls.get(`/invoices?${query}`, InvoiceList))?.list.map(({ invoice }) => invoice) ?? []
  return { subscription, invoices }
}

/** @throws ProcessorError rejected if the site does not have it */
export async function readSubscription({ get }: Calls, id: string): Promise<Subscription> {
  const subscription = (await get(`/subscriptions/${encodeURIComponent(id)}`, SubscriptionReply))?.subscription
  if (!subscription) throw new ProcessorError('chargebee', 'rejected', 'no such subscription', { answered: true })
  return subscription
}

const hasEnded = ({ subscription: { status } }: Billed) => status === 'cancelled' || status === 'transferred'

const willNotRenew = (billed: Billed) => isScheduledToEnd(billed.subscription) || hasEnded(billed)

/** Whether nothing is owed. A voided invoice was not paid. */
function isPaidUp({ subscription, invoices }: Billed): boolean {
  const { status, due_invoices_count: due } = subscription
  if (status === 'in_trial') return true
  return (status === 'active' || status === 'non_renewing') && due === 0 && !isTermVoided(subscription, invoices)
}

/**
 * Cancels, and returns what a read shows then. Throws unless that is the end, whatever the reply says: a subscription whose cancellation was
 * accepted and not carried out would be charged again. Chargebee refuses it if the subscription has ended, or its end was scheduled,
 * meanwhile.
 */
async function cancel(calls: Calls, id: string, fields: Fields, isDone: (billed: Billed) => boolean): Promise<Billed> {
  const refused = await toRefusal(calls.post(`/subscriptions/${encodeURIComponent(id)}/cancel_for_items`, fields))
  const billed = await read(calls, id)
  if (isDone(billed)) return billed
  throw refused ?? new ProcessorError('chargebee', 'unavailable', 'not cancelled', { answered: true })
}

/** The refusal of a call; null if it succeeded. */
async function toRefusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return null
  } catch (error) {
    if (!isRefused(error)) throw error
    return error
  }
}

const isOwed = ({ status }: Invoice) => status === 'payment_due' || status === 'not_paid' || status === 'posted'

async function voidInvoices(calls: Calls, { invoices }: Billed): Promise<void> {
  for (const { id } of invoices.filter(isOwed)) await voidInvoice(calls, id)
}

/** A refusal is harmless if the invoice was paid or voided meanwhile. */
async function voidInvoice({ get, post }: Calls, id: string): Promise<void> {
  const path = `/invoices/${encodeURIComponent(id).replaceAll('%2F', '/')}`
  try {
    await post(`${path}/void`, {})
  } catch (error) {
    if (!isRefused(error)) throw error
    const reply = await get(path, InvoiceReply)
    if (reply && isOwed(reply.invoice)) throw error
  }
}

/** Deletes unbilled charges of a change of plan, which would be charged at the end of the term even if the subscription ends with it. */
async function deleteUnbilled({ get, post }: Calls, subscription: string): Promise<void> {
  const query = new URLSearchParams({ limit: String(LIMIT), 'subscription_id[is]': subscription })
  const charges = (await get(`/unbilled_charges?${query}`, UnbilledChargeList))?.list ?? []
  for (const { unbilled_charge: charge } of charges) {
    try {
      await post(`/unbilled_charges/${encodeURIComponent(charge.id)}/delete`, {})
    } catch (error) {
      // A concurrent caller may have deleted it.
      if (!(error instanceof RestError && error.isMissing)) throw error
    }
  }
}

export const isRefused = (error: unknown) => error instanceof ProcessorError && error.kind === 'rejected'
