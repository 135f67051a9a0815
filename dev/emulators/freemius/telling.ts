import { createHmac } from 'node:crypto'
import type { EventEntity } from '@freemius/sdk'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { Happening, NewEvent } from '../core/domain/happenings.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { HOUR_SECONDS } from '../core/periods.ts'
import type { Telling } from '../core/processor.ts'
import { shownOf, tellingOf } from '../core/webhooks/telling.ts'
import type { FreemiusAccount } from './accounts.ts'
import { licenseObject, licenseOf, subscriptionObject, subscriptionOf } from './objects/license.ts'
import { licenseOfPayment } from './objects/payment.ts'
import { userObject } from './objects/product.ts'
import { dateTime, type Full } from './objects/wire.ts'
import { eventOwn, licenseOwn, subscriptionOwn } from './own.ts'
import { RENEWALS } from './subscriptions.ts'

/** An event, the same in a webhook and in the API. `objects` are as they were when the event happened. */
export interface FreemiusEvent extends Omit<Full<EventEntity>, 'developer_id'> {
  objects: Record<string, unknown>
}

/** An event that is still to be delivered to somebody is `pending`. */
export function eventObject(event: EventRecord, { pending }: { pending: number }): FreemiusEvent {
  const { data, user, trigger } = eventOwn(event)
  const created = dateTime(event.created)
  return {
    ...{ id: event.id, type: event.type, created, updated: null, data, event_trigger: trigger },
    ...{ plugin_id: event.account, user_id: user, install_id: null, objects: event.object },
    ...(pending > 0 ? { state: 'pending', process_time: null } : { state: 'processed', process_time: created }),
  }
}

export const TELLING: Telling<FreemiusAccount, FreemiusEvent> = {
  eventsOf: tellingOf({
    'page.completed': ({ page }, context) => [
      ofLicense('license.created', page, context),
      ...subscriptionSold(subscriptionOf(page, context), context),
      ...paymentOf(page, context),
    ],
    // A licence is kept as a page: one that has expired was cancelled by the owner.
    'page.expired': ({ page }, context) => [ofLicense('license.cancelled', page, context)],
    'page.failed': ({ page }) => deleted(page),
    // The first one is told with the licence.
    'subscription.created': ({ subscription }, context) => subscriptionSold(subscription, context),
    'subscription.cancelled': cancelled,
    'subscription.expired': cancelled,
    'subscription.ended': ({ subscription }, context) => ended(subscription, context),
    'subscription.trial_ending': ({ subscription }, context) => [
      ofLicense('license.trial_expiring_notice.sent', licenseOf(subscription, context), context),
    ],
    'invoice.paid': ({ invoice }, context) => paid(invoice, context),
    'invoice.failed': ({ invoice }, context) => failed(invoice, context),
    'refund.created': (refunded, context) => [ofPayment('payment.refund', refunded, context)],
    'dispute.opened': (disputed, context) => [ofPayment('payment.dispute.created', disputed, context)],
    'dispute.closed': (disputed, context) => [
      ofPayment(`payment.dispute.${disputed.dispute.status}`, disputed, context),
    ],
  }),
  eventObject,
  headers: (body, { secretKey }) => ({
    'Content-Type': 'application/json',
    'X-Signature': createHmac('sha256', secretKey).update(body).digest('hex'),
    'User-Agent': 'Freemius Webhooks',
  }),
  // Whether and when Freemius tries again is documented nowhere: UNVERIFIED.
  retrySeconds: [1, 6, 12, 24].map((hours) => hours * HOUR_SECONDS),
}

/** A licence that was deleted is shown no more. */
function deleted(license: PageRecord): NewEvent[] {
  const own = { data: { license_id: license.id }, user: license.customer, trigger: 'developer' }
  return licenseOwn(license).deleted ? [{ type: 'license.deleted', object: { license: false }, own }] : []
}

const isSold = (subscription: SubscriptionRecord, context: AccountContext) =>
  licenseOf(subscription, context).status === 'complete'

function subscriptionSold(subscription: SubscriptionRecord | null, context: AccountContext): NewEvent[] {
  if (!subscription || !isSold(subscription, context)) return []
  return [ofSubscription('subscription.created', subscription, context)]
}

function cancelled({ subscription }: { subscription: SubscriptionRecord }, context: AccountContext): NewEvent[] {
  return [ofSubscription('subscription.cancelled', subscription, context)]
}

/** That a cancelled trial's licence expires is UNVERIFIED: Freemius says only that the trial is cancelled. */
function ended(subscription: SubscriptionRecord, context: AccountContext): NewEvent[] {
  const license = licenseOf(subscription, context)
  const { cancelAt, cancelReason, trialEnd } = subscription
  const expired = ofLicense('license.expired', license, context)
  if (cancelAt !== null) return [expired]
  const isTrial = trialEnd !== null && context.now < trialEnd
  const news = cancelReason === 'payment_failed' ? [ofLicense('license.cancelled', license, context)] : []
  return [...cancelled({ subscription }, context), ...news, ...(isTrial ? [expired] : [])]
}

/** What a purchase begins with is told with its licence. */
function paid(invoice: InvoiceRecord, context: AccountContext): NewEvent[] {
  const subscription = find(context, 'subscriptions', invoice.subscription)
  if (!isSold(subscription, context)) return []
  const [from, to] = [dateTime(invoice.periodStart), dateTime(invoice.periodEnd)]
  const data = { from, to, is_renewal: invoice.reason === 'cycle' }
  const extended = ofLicense('license.extended', licenseOf(subscription, context), context, data)
  return [...paymentOf(invoice, context), extended]
}

/** A licence expires when its renewal fails first. Whether the last failure is told under both names is UNVERIFIED. */
function failed({ attempts, subscription: id }: InvoiceRecord, context: AccountContext): NewEvent[] {
  const subscription = find(context, 'subscriptions', id)
  const isLast = attempts > RENEWALS.retries.length
  const types = ['subscription.renewal.failed', ...(isLast ? ['subscription.renewal.failed.last'] : [])]
  return [
    ...(attempts === 1 ? [ofLicense('license.expired', licenseOf(subscription, context), context)] : []),
    ...types.map((type) => ofSubscription(type, subscription, context)),
  ]
}

function paymentOf({ payment: id }: PageRecord | InvoiceRecord, context: AccountContext): NewEvent[] {
  const payment = id === null ? null : find(context, 'payments', id)
  return payment?.status === 'paid' ? [ofPayment('payment.created', { what: 'payment.paid', payment }, context)] : []
}

/** An event about a licence; `objects` are those that it tells of besides. */
function event(type: string, license: PageRecord, context: AccountContext, data: object, objects = {}): NewEvent {
  const { customer } = license
  const user = customer === null ? null : userObject(find(context, 'customers', customer))
  const object = { user, ...objects, license: licenseObject(license, context) }
  return { type, object, own: { data, user: customer, trigger: 'system' } }
}

function ofLicense(type: string, license: PageRecord, context: AccountContext, data = {}): NewEvent {
  const { expiration } = licenseObject(license, context)
  const more = type === 'license.created' ? { expiration } : data
  return event(type, license, context, { ...more, license_id: license.id })
}

function ofSubscription(type: string, subscription: SubscriptionRecord, context: AccountContext): NewEvent {
  const license = licenseOf(subscription, context)
  const { reason, reason_ids } = subscriptionOwn(subscription)
  const ids = { subscription_id: subscription.id, license_id: license.id }
  const data = type === 'subscription.cancelled' ? { ...ids, reason_ids, reason } : ids
  return event(type, license, context, data, { subscription: subscriptionObject(subscription, context) })
}

/** A refund and a dispute are payments of their own at Freemius. */
function ofPayment(
  type: string,
  happening: Extract<Happening, { payment: object }>,
  context: AccountContext,
): NewEvent {
  const { payment } = happening
  const license = licenseOfPayment(payment, context)
  return event(type, license, context, { payment_id: payment.id }, { payment: shownOf(happening, context) })
}
