import { createHmac } from 'node:crypto'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { DomainEvent, NewEvent } from '../core/domain/domain-events.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { HOUR_SECONDS } from '../core/periods.ts'
import type { WebhookFormat } from '../core/processor.ts'
import { createEvents, sameNames, showSubject } from '../core/webhooks/create-events.ts'
import type { FreemiusAccount } from './accounts.ts'
import { findLicense, licenseObject } from './objects/license.ts'
import { complete, dateTime, parsePrice } from './objects/wire.ts'
import { eventOwn, licenseOwn, subscriptionOwn } from './own.ts'
import { RENEWALS } from './subscriptions.ts'

/** An event, in webhooks and in the API. It is `pending` until all its webhooks are delivered. */
function eventObject(event: EventRecord, { pending }: { pending: number }) {
  const { id, type, account, object: objects } = event
  const { data, user } = eventOwn(event)
  const created = dateTime(event.created)
  return complete('event', {
    id,
    type,
    created,
    plugin_id: account,
    user_id: user,
    data,
    objects,
    ...(pending > 0 ? { state: 'pending', process_time: null } : { state: 'processed', process_time: created }),
  })
}

export const WEBHOOK_FORMAT: WebhookFormat<FreemiusAccount, ReturnType<typeof eventObject>> = {
  toEvents: createEvents(
    {
      'page.completed': ({ page: { subscription, payment } }) => [
        'license.created',
        ...(subscription === null ? [] : ['subscription.created']),
        ...(payment === null ? [] : ['payment.created']),
      ],
      // A licence is stored as a page. An expired page is a licence that the owner cancelled or deleted.
      'page.expired': ({ page }) => [licenseOwn(page).deleted ? 'license.deleted' : 'license.cancelled'],
      // The SDK types the first for a change in the dashboard. That a buyer's change is reported alike is UNVERIFIED.
      'page.plan_changed': ['license.plan.changed', 'license.updated'],
      // The first subscription of a purchase is reported with its licence.
      'subscription.created': (domainEvent, context) => (isSold(domainEvent, context) ? ['subscription.created'] : []),
      'invoice.paid': (domainEvent, context) =>
        isSold(domainEvent, context)
          ? [...(domainEvent.invoice.payment === null ? [] : ['payment.created']), 'license.extended']
          : [],
      // A licence expires at the first failure of its renewal. Whether the last failure has both events is UNVERIFIED.
      'invoice.failed': ({ invoice: { attempts } }) => [
        ...(attempts === 1 ? ['license.expired'] : []),
        'subscription.renewal.failed',
        ...(attempts > RENEWALS.retries.length ? ['subscription.renewal.failed.last'] : []),
      ],
      ...sameNames('subscription.cancelled'),
      'subscription.expired': ['subscription.cancelled'],
      'subscription.ended': ended,
      'subscription.trial_ending': ['license.trial_expiring_notice.sent'],
      // Two events, as in captured webhooks of Freemius: the refund as a payment with a negative gross, and the original payment, whose
      // `bound_payment_id` is the refund.
      'refund.created': ['payment.created', 'payment.refund'],
      'dispute.opened': ['payment.dispute.created'],
      'dispute.closed': ({ dispute: { status } }) => [`payment.dispute.${status}`],
    },
    toEvent,
  ),
  eventObject,
  headers: (body, { secretKey }) => ({
    'Content-Type': 'application/json',
    'X-Signature': createHmac('sha256', secretKey).update(body).digest('hex'),
    'User-Agent': 'Freemius Webhooks',
  }),
  // Freemius' retries are not documented: UNVERIFIED.
  retrySeconds: [1, 6, 12, 24].map((hours) => hours * HOUR_SECONDS),
}

const isSold = (domainEvent: DomainEvent, context: AccountContext) =>
  licenseIn(domainEvent, context).status === 'complete'

/** That a cancelled trial's licence expires is UNVERIFIED: Freemius documents only that the trial is cancelled. */
function ended({ subscription }: { subscription: SubscriptionRecord }, { now }: AccountContext): string[] {
  const { cancelAt, cancelReason, trialEnd } = subscription
  if (cancelAt !== null) return ['license.expired']
  return [
    'subscription.cancelled',
    ...(cancelReason === 'payment_failed' ? ['license.cancelled'] : []),
    ...(trialEnd !== null && now < trialEnd ? ['license.expired'] : []),
  ]
}

/** An event about a licence, a subscription or a payment, depending on its type. */
function toEvent(type: string, domainEvent: DomainEvent, context: AccountContext): NewEvent {
  const kind = type.split('.')[0] as Kind
  const license = licenseIn(domainEvent, context)
  const shown = licenseObject(license, context)
  const isRefund = domainEvent.what === 'refund.created'
  const isOriginal = isRefund && type === 'payment.refund'
  const part =
    kind === 'license'
      ? null
      : isOriginal
        ? context.show('payments', domainEvent.payment)
        : toPart(kind, domainEvent, context)
  const { customer: user } = license
  const buyer = user === null ? null : context.show('customers', find(context, 'customers', user))
  const data = {
    [`${kind}_id`]: (part ?? license).id,
    ...extraFields(type, domainEvent, shown),
    ...planChange(type, license),
  }
  // A deleted licence is no longer shown.
  const gone = type === 'license.deleted' && { license: false }
  // The events of a refund have no licence.
  if (isRefund) return { type, object: { user: buyer, [kind]: part }, own: { data, user } }
  return { type, object: gone || { user: buyer, ...(part && { [kind]: part }), license: shown }, own: { data, user } }
}

type Kind = 'license' | 'subscription' | 'payment'

/** The licence that a domain event is about, directly or indirectly. */
function licenseIn(domainEvent: DomainEvent, context: AccountContext): PageRecord {
  if ('page' in domainEvent) return domainEvent.page
  if ('subscription' in domainEvent) return findLicense(domainEvent.subscription, context)
  return findLicense('invoice' in domainEvent ? domainEvent.invoice : domainEvent.payment, context)
}

/** The subscription or payment. Refunds and disputes are payments at Freemius. */
function toPart(kind: 'subscription' | 'payment', domainEvent: DomainEvent, context: AccountContext): { id: string } {
  if ('payment' in domainEvent || 'subscription' in domainEvent) return showSubject(domainEvent, context)
  const { [kind]: id } = 'page' in domainEvent ? domainEvent.page : domainEvent.invoice
  return context.show(`${kind}s`, find(context, `${kind}s`, id ?? ''))
}

function planChange(type: string, { price, own }: PageRecord) {
  if (type !== 'license.plan.changed') return {}
  const { before = price.id } = licenseOwn({ own })
  const from = parsePrice({ id: before })
  const to = parsePrice(price)
  return {
    from_plan_id: from.plan_id,
    from_pricing_id: from.pricing_id,
    to_plan_id: to.plan_id,
    to_pricing_id: to.pricing_id,
  }
}

/** The fields of an event's data besides the subject's id. */
function extraFields(
  type: string,
  domainEvent: DomainEvent,
  { id: license_id, expiration }: ReturnType<typeof licenseObject>,
) {
  if (type === 'license.created') return { expiration }
  if (type === 'license.extended' && 'invoice' in domainEvent) {
    const { periodStart, periodEnd, reason } = domainEvent.invoice
    return { from: dateTime(periodStart), to: dateTime(periodEnd), is_renewal: reason === 'cycle' }
  }
  const why = type === 'subscription.cancelled' && 'subscription' in domainEvent
  if (why) return { license_id, ...subscriptionOwn(domainEvent.subscription) }
  return type.startsWith('subscription.') ? { license_id } : {}
}
