import { DAY_SECONDS, nextPeriodEnd } from '../periods.ts'
import { type AccountContext, newestFirst, newRecord } from './context.ts'
import { changesBetween } from './domain-events.ts'
import { latestInvoice, owedInvoices } from './invoices.ts'
import { reportDelayedPayment } from './pages.ts'
import type { SubscriptionRecord } from './selling-records.ts'

/*
 * Changes of a subscription besides renewals: it begins, its end is scheduled or cancelled, it pauses, and it ends. Each goes
 * through `change` or `endSubscription`, which emit the events.
 */

type NewSubscription = Pick<SubscriptionRecord, 'customer' | 'price'> & Partial<SubscriptionRecord>

/** Begins with a trial if `trialDays` or `trialEnd` is given, otherwise with the first period. Emits no event. */
export function newSubscription(
  context: AccountContext,
  { trialDays, ...given }: NewSubscription & { trialDays: number | null },
): SubscriptionRecord {
  const { now } = context
  const trialEnd = given.trialEnd ?? (trialDays === null ? null : now + trialDays * DAY_SECONDS)
  const subscription: SubscriptionRecord = {
    ...newRecord(context, 'subscriptions'),
    mandate: null,
    quantity: 1,
    terms: { taxPercent: 0, percentOff: 0 },
    coupon: null,
    scheduled: null,
    pendingLines: [],
    status: trialEnd === null ? 'active' : 'trialing',
    anchor: trialEnd ?? now,
    periodStart: now,
    periodEnd: trialEnd ?? nextPeriodEnd(now, given.price, now),
    trialEnd,
    hasCard: true,
    trialEndAnnounced: false,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    cancelReason: null,
    endedAt: null,
    latestInvoice: null,
    own: {},
    ...given,
  }
  context.records.subscriptions.set(subscription.id, subscription)
  return subscription
}

/** Applies a change to a subscription and emits its events if the subscription differs afterwards. */
export function change(
  context: AccountContext,
  subscription: SubscriptionRecord,
  apply: () => void,
): SubscriptionRecord {
  const before = structuredClone(subscription)
  apply()
  if (JSON.stringify(subscription) !== JSON.stringify(before)) {
    context.emit({ what: 'subscription.updated', subscription, before })
    for (const change of changesBetween(before, subscription))
      context.emit({ what: `subscription.${change}`, subscription })
  }
  return subscription
}

/** The customer adds the missing payment method of a trial, which is then continued. */
export function addCard(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  refuseEnded(context, subscription)
  return change(context, subscription, () => {
    subscription.hasCard = true
  })
}

const ENDED_STATUSES: SubscriptionRecord['status'][] = ['canceled', 'incomplete_expired', 'completed']

export const hasEnded = ({ status }: SubscriptionRecord) => ENDED_STATUSES.includes(status)

/** A customer's subscriptions that have not ended, newest first. */
export const runningSubscriptions = (context: AccountContext, customer: string) =>
  newestFirst(context, 'subscriptions', { customer }).filter((each) => !hasEnded(each))

export function refuseEnded(context: AccountContext, subscription: SubscriptionRecord): void {
  if (hasEnded(subscription)) throw context.refuse(`Subscription ${subscription.id} has ended.`)
}

/** Schedules the end of a subscription for the end of its period, or cancels that. Call it within `change`. */
export function scheduleEnd(context: AccountContext, subscription: SubscriptionRecord, cancel: boolean): void {
  subscription.cancelAtPeriodEnd = cancel
  subscription.cancelAt = cancel ? subscription.periodEnd : null
  subscription.canceledAt = cancel ? context.now : null
  subscription.cancelReason = cancel ? 'cancellation_requested' : null
}

/** The same, including `change`. */
export const cancelAtEnd = (context: AccountContext, subscription: SubscriptionRecord, cancel = true) =>
  change(context, subscription, () => scheduleEnd(context, subscription, cancel))

/** Pauses or resumes the renewals. `pausable`: the statuses that the processor allows to pause. */
export function pauseSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  pauses: boolean,
  pausable: SubscriptionRecord['status'][] = ['active'],
) {
  const wanted = pauses ? pausable : ['paused']
  if (!wanted.includes(subscription.status)) {
    throw context.refuse(`Subscription ${subscription.id} is not ${wanted.join(' or ')}.`)
  }
  return change(context, subscription, () => {
    subscription.status = pauses ? 'paused' : 'active'
  })
}

/**
 * What happens to unpaid invoices when a subscription ends. `kept`: they are no longer charged automatically. `void`: open ones become
 * void, and drafts are still charged.
 */
export type OwedAtEnd = 'kept' | 'void'

/** Ends a subscription. One that was never paid expires instead. */
export function endSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { at = context.now, owedAtEnd = 'kept' }: { at?: number; owedAtEnd?: OwedAtEnd | undefined } = {},
): SubscriptionRecord {
  if (subscription.status === 'incomplete') return expireSubscription(context, subscription)
  for (const invoice of owedInvoices(context, subscription)) {
    if (owedAtEnd === 'kept') invoice.isGivenUp = true
    else if (invoice.status === 'open') invoice.status = 'void'
  }
  const isOwed = subscription.status === 'past_due' || subscription.status === 'unpaid'
  subscription.cancelReason ??= isOwed ? 'payment_failed' : 'cancellation_requested'
  subscription.canceledAt ??= context.now
  subscription.status = 'canceled'
  subscription.endedAt = at
  context.emit({ what: 'subscription.ended', subscription })
  return subscription
}

/** Its invoice is void and will not be charged. */
function expireSubscription(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  return change(context, subscription, () => {
    latestInvoice(context, subscription).status = 'void'
    subscription.status = 'incomplete_expired'
    subscription.endedAt = context.now
    reportDelayedPayment(context, subscription.id, false)
  })
}
