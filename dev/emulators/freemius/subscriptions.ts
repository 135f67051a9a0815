import { type AccountContext, find, newRecord } from '../core/domain/context.ts'
import type { RenewalRules } from '../core/domain/dues.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { cancelAtEnd, change, endSubscription, hasEnded } from '../core/domain/subscriptions.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'
import { badRequest } from './errors.ts'
import { findLicense } from './objects/license.ts'
import { licenseOwn } from './own.ts'

/**
 * Freemius retries one, three and five days after a failure. After the fourth failure it cancels the subscription and the licence
 * (freemius.com/help/documentation/selling-with-freemius/dunning-failed-payments). Two days' notice of a trial's end is UNVERIFIED,
 * and so is when a pending first payment is given up.
 */
export const RENEWALS: RenewalRules = {
  trialNotice: 2 * DAY_SECONDS,
  draft: 0,
  retries: [DAY_SECONDS, 3 * DAY_SECONDS, 5 * DAY_SECONDS],
  incomplete: 20 * HOUR_SECONDS,
  recoversBy: 'latest',
}

/**
 * Stops the renewals; the licence lasts to the end of the paid period. A trial ends at once, and so does an unpaid subscription.
 * Cancelling again changes nothing.
 */
export function cancel(
  context: AccountContext,
  subscription: SubscriptionRecord,
  why: { reason?: string | null; reason_ids?: string[] } = {},
): SubscriptionRecord {
  if (hasEnded(subscription) || subscription.canceledAt !== null) return subscription
  subscription.own = { ...subscription.own, ...why }
  const isPaid = latestInvoice(context, subscription).status === 'paid'
  if (subscription.status !== 'trialing' && isPaid) return cancelAtEnd(context, subscription)
  subscription.cancelReason = 'cancellation_requested'
  return endSubscription(context, subscription)
}

/** The buyer changes the payment method: the licence gets a new subscription with the same dates, and the old one is cancelled. */
export function replace(context: AccountContext, old: SubscriptionRecord): SubscriptionRecord {
  if (hasEnded(old) || old.canceledAt !== null) throw badRequest(`Subscription ${old.id} is cancelled.`)
  const { id, created } = newRecord(context, 'subscriptions')
  const subscription = { ...structuredClone(old), id, created }
  context.records.subscriptions.set(id, subscription)
  findLicense(old, context).subscription = id
  context.emit({ what: 'subscription.created', subscription })
  change(context, old, () => Object.assign(old, { status: 'canceled', canceledAt: created, endedAt: created }))
  return subscription
}

/** The owner cancels a licence in the dashboard: it no longer gives access. Its subscription is also cancelled. */
export function cancelLicense(context: AccountContext, license: PageRecord): PageRecord {
  if (licenseOwn(license).cancelled) throw badRequest(`License ${license.id} is cancelled.`)
  license.own = { ...license.own, cancelled: true }
  if (license.subscription !== null) cancel(context, find(context, 'subscriptions', license.subscription))
  context.emit({ what: 'page.expired', page: license })
  return license
}

/** The owner deletes a licence in the dashboard. */
export function deleteLicense(context: AccountContext, license: PageRecord): PageRecord {
  license.own = { ...license.own, deleted: true }
  context.emit({ what: 'page.expired', page: license })
  return license
}
