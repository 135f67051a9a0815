import { createHmac } from 'node:crypto'
import type { EventEntity } from '@freemius/sdk'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { NewEvent } from '../core/domain/happenings.ts'
import type { DisputeRecord, InvoiceRecord, PaymentRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Telling } from '../core/processor.ts'
import { tellingOf } from '../core/webhooks/telling.ts'
import type { FreemiusAccount } from './accounts.ts'
import { licenseObject, licenseOf, subscriptionOf } from './objects/license.ts'
import { disputeObject, licenseOfPayment, paymentObject, refundObject } from './objects/payment.ts'
import { userObject } from './objects/product.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { dateTime, type Full } from './objects/wire.ts'
import { eventOwn, licenseOwn, subscriptionOwn } from './own.ts'
import { RENEWALS } from './subscriptions.ts'

const HOUR_SECONDS = 3600

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
    'page.completed': ({ page }, context) => bought(page, context),
    // A licence is kept as a page: one that has expired was cancelled by the owner.
    'page.expired': ({ page }, context) => [ofLicense('license.cancelled', page, context)],
    'page.failed': ({ page }) => deleted(page),
    // Sent when the licence gets another subscription. The first one is told with the licence.
    'subscription.created': ({ subscription }, context) =>
      isSold(subscription, context) ? [ofSubscription('subscription.created', subscription, context)] : [],
    'subscription.updated': ({ subscription, before }, context) => {
      const isCancelled = subscription.canceledAt !== null && before.canceledAt === null
      const isOver = isCancelled || subscription.status === 'incomplete_expired'
      return isOver ? [ofSubscription('subscription.cancelled', subscription, context)] : []
    },
    'subscription.ended': ({ subscription }, context) => ended(subscription, context),
    'subscription.trial_ending': ({ subscription }, context) => [
      ofLicense('license.trial_expiring_notice.sent', licenseOf(subscription, context), context),
    ],
    'invoice.paid': ({ invoice }, context) => paid(invoice, context),
    'invoice.failed': ({ invoice }, context) => failed(invoice, context),
    'refund.created': ({ refund, payment }, context) => [
      ofPayment('payment.refund', payment, refundObject(refund, context), context),
    ],
    'dispute.opened': disputed,
    'dispute.closed': disputed,
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

function deleted(license: PageRecord): NewEvent[] {
  const own = { data: { license_id: license.id }, user: license.customer, trigger: 'developer' }
  return licenseOwn(license).deleted ? [{ type: 'license.deleted', object: { license: false }, own }] : []
}

type Disputed = { dispute: DisputeRecord; payment: PaymentRecord }

function disputed({ dispute, payment }: Disputed, context: AccountContext): NewEvent[] {
  const type = { open: 'created', won: 'won', lost: 'lost' }[dispute.status]
  return [ofPayment(`payment.dispute.${type}`, payment, disputeObject(dispute, context), context)]
}

const isSold = (subscription: SubscriptionRecord, context: AccountContext) =>
  licenseOf(subscription, context).status === 'complete'

function bought(page: PageRecord, context: AccountContext): NewEvent[] {
  const subscription = subscriptionOf(page, context)
  return [
    ofLicense('license.created', page, context),
    ...(subscription ? [ofSubscription('subscription.created', subscription, context)] : []),
    ...payment(page.payment, context),
  ]
}

/** What a purchase begins with is told with its licence. */
function paid(invoice: InvoiceRecord, context: AccountContext): NewEvent[] {
  const subscription = find(context, 'subscriptions', invoice.subscription)
  if (!isSold(subscription, context)) return []
  const license = licenseOf(subscription, context)
  const [from, to] = [dateTime(invoice.periodStart), dateTime(invoice.periodEnd)]
  const data = { from, to, license_id: license.id, is_renewal: invoice.reason === 'cycle' }
  return [...payment(invoice.payment, context), ofLicense('license.extended', license, context, data)]
}

/** A licence expires when its renewal fails first. Whether the last failure is told under both names is UNVERIFIED. */
function failed(invoice: InvoiceRecord, context: AccountContext): NewEvent[] {
  const subscription = find(context, 'subscriptions', invoice.subscription)
  const license = licenseOf(subscription, context)
  const { attempts } = invoice
  return [
    ...(attempts === 1 ? [ofLicense('license.expired', license, context)] : []),
    ofSubscription('subscription.renewal.failed', subscription, context),
    ...(attempts > RENEWALS.retries.length
      ? [ofSubscription('subscription.renewal.failed.last', subscription, context)]
      : []),
  ]
}

/** That a cancelled trial's licence expires is UNVERIFIED: Freemius says only that the trial is cancelled. */
function ended(subscription: SubscriptionRecord, context: AccountContext): NewEvent[] {
  const license = licenseOf(subscription, context)
  const cancelled = ofSubscription('subscription.cancelled', subscription, context)
  const { cancelAt, cancelReason, trialEnd } = subscription
  if (cancelAt !== null) return [ofLicense('license.expired', license, context)]
  if (cancelReason === 'payment_failed') return [cancelled, ofLicense('license.cancelled', license, context)]
  const isTrial = trialEnd !== null && context.now < trialEnd
  return isTrial ? [cancelled, ofLicense('license.expired', license, context)] : [cancelled]
}

const payment = (id: string | null, context: AccountContext): NewEvent[] => {
  const made = id === null ? null : find(context, 'payments', id)
  return made?.status === 'paid' ? [ofPayment('payment.created', made, paymentObject(made, context), context)] : []
}

/** An event about a licence; `objects` are those that it tells of besides. */
function event(type: string, license: PageRecord, context: AccountContext, data: object, objects = {}): NewEvent {
  const { customer } = license
  const user = customer === null ? null : userObject(find(context, 'customers', customer))
  const object = { user, ...objects, license: licenseObject(license, context) }
  return { type, object, own: { data, user: customer, trigger: 'system' } }
}

function ofLicense(type: string, license: PageRecord, context: AccountContext, data?: object): NewEvent {
  const { expiration } = licenseObject(license, context)
  const more = type === 'license.created' ? { expiration } : {}
  return event(type, license, context, data ?? { ...more, license_id: license.id })
}

function ofSubscription(type: string, subscription: SubscriptionRecord, context: AccountContext): NewEvent {
  const license = licenseOf(subscription, context)
  const { reason, reason_ids } = subscriptionOwn(subscription)
  const ids = { subscription_id: subscription.id, license_id: license.id }
  const data = type === 'subscription.cancelled' ? { ...ids, reason_ids, reason } : ids
  return event(type, license, context, data, { subscription: subscriptionObject(subscription, context) })
}

const ofPayment = (type: string, paid: PaymentRecord, payment: object, context: AccountContext) =>
  event(type, licenseOfPayment(paid, context), context, { payment_id: paid.id }, { payment })
