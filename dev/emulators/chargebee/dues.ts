import { type AccountContext, all } from '../core/domain/context.ts'
import { announceTrialEnd, type Due, declines } from '../core/domain/dues.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import { renewSubscription } from '../core/domain/renewals.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { endSubscription, hasEnded } from '../core/domain/subscriptions.ts'

const DAY_SECONDS = 24 * 3600
const TRIAL_NOTICE = 3 * DAY_SECONDS

/**
 * How long after a failed charge the next one follows, and that the subscription is cancelled after the last: that is the
 * site's own setting for dunning; these are the emulator's.
 */
const DUNNING = [2, 3, 3].map((days) => days * DAY_SECONDS)

/** What is next in the life of each subscription. Unlike at Stripe, a term's invoice is charged when the term begins. */
export const termsDue = (context: AccountContext): Due[] =>
  all(context, 'subscriptions').flatMap((subscription) => nextOf(context, subscription) ?? [])

function nextOf(context: AccountContext, subscription: SubscriptionRecord): Due | null {
  const { status, cancelAt, trialEnd, trialEndAnnounced, periodEnd } = subscription
  if (hasEnded(subscription) || status === 'paused' || status === 'unpaid') return null
  if (status === 'trialing' && trialEnd !== null && !trialEndAnnounced && cancelAt === null) {
    return { at: trialEnd - TRIAL_NOTICE, run: (then) => announceTrialEnd(then, subscription) }
  }
  const { status: invoiceStatus, created, attempts } = latestInvoice(context, subscription)
  const isPaid = invoiceStatus === 'paid'
  const waits = DUNNING.slice(0, Math.max(attempts, 1)).reduce((sum, wait) => sum + wait, 0)
  const at = isPaid ? periodEnd : created + waits
  if (cancelAt !== null && cancelAt <= at) {
    return { at: cancelAt, run: (then) => endSubscription(then, subscription, cancelAt) }
  }
  return { at, run: (then) => charge(then, subscription) }
}

function charge(context: AccountContext, subscription: SubscriptionRecord): void {
  renewSubscription(context, subscription, !declines(context, subscription.customer))
  const invoice = latestInvoice(context, subscription)
  if (invoice.status !== 'paid' && invoice.attempts > DUNNING.length) endSubscription(context, subscription)
}
