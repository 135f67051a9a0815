import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { subscriptionOwn } from '../own.ts'
import { timeOrNull, timeText } from '../rules.ts'
import { customerOf, priceObject, productFields, since } from './goods.ts'

export function subscriptionObject(record: SubscriptionRecord, context: AccountContext): models.Subscription {
  const prices = [priceObject(record.price)]
  const product = { ...productFields(context, record.price), metadata: {}, is_deletable: false, prices, benefits: [] }
  return {
    ...subscriptionFields(record),
    ...{ customer: customerOf(context, record.customer), discount: null, prices, meters: [], pending_update: null },
    product: { ...product, medias: [], attached_custom_fields: [] },
  }
}

/** What a subscription has also where it is only part of an order. */
export function subscriptionFields(record: SubscriptionRecord): models.OrderSubscription {
  const { metadata, checkoutId, reason, comment } = subscriptionOwn(record)
  const { id, status, price, cancelAt, endedAt, trialEnd, created } = record
  return {
    ...nulls('current_meter_period_start current_meter_period_end paused_at resumes_at discount_id units past_due_at'),
    ...since(created),
    ...{ id, amount: price.amount, currency: price.currency, product_id: price.id, customer_id: record.customer },
    ...{ recurring_interval: price.interval ?? 'month', recurring_interval_count: price.intervalCount ?? 1 },
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    ...{ current_period_start: timeText(record.periodStart), current_period_end: timeText(record.periodEnd) },
    ...{ trial_start: timeOrNull(trialEnd === null ? null : created), trial_end: timeOrNull(trialEnd) },
    ...{ cancel_at_period_end: record.cancelAtPeriodEnd, pause_at_period_end: false },
    ...{ canceled_at: timeOrNull(record.canceledAt), started_at: timeText(created) },
    ...{ ends_at: timeOrNull(endedAt ?? cancelAt), ended_at: timeOrNull(endedAt) },
    ...{
      checkout_id: checkoutId,
      customer_cancellation_reason: reason,
      customer_cancellation_comment: comment,
      metadata,
    },
  }
}
