import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { subscriptionOwn } from '../own.ts'
import { timeOrNull, timeText } from '../rules.ts'
import { customerOf } from './customer.ts'
import { priceObject, productObject } from './product.ts'

export function subscriptionObject(record: SubscriptionRecord, context: AccountContext): models.Subscription {
  return {
    ...subscriptionFields(record),
    custom_field_data: {},
    customer: customerOf(context, record.customer),
    product: productObject(context, record.price),
    discount: null,
    prices: [priceObject(record.price)],
    meters: [],
    pending_update: null,
  }
}

/** What a subscription has also where it is only part of an order. */
export function subscriptionFields(record: SubscriptionRecord): models.OrderSubscription {
  const { metadata, checkoutId, reason, comment } = subscriptionOwn(record)
  const { status, price, cancelAt, endedAt, trialEnd } = record
  return {
    ...nulls('modified_at current_meter_period_start current_meter_period_end paused_at resumes_at discount_id units'),
    id: record.id,
    created_at: timeText(record.created),
    amount: price.amount,
    currency: price.currency,
    recurring_interval: price.interval ?? 'month',
    recurring_interval_count: price.intervalCount ?? 1,
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    current_period_start: timeText(record.periodStart),
    current_period_end: timeText(record.periodEnd),
    trial_start: timeOrNull(trialEnd === null ? null : record.created),
    trial_end: timeOrNull(trialEnd),
    cancel_at_period_end: record.cancelAtPeriodEnd,
    canceled_at: timeOrNull(record.canceledAt),
    started_at: timeText(record.created),
    ends_at: timeOrNull(endedAt ?? cancelAt),
    ended_at: timeOrNull(endedAt),
    past_due_at: null,
    pause_at_period_end: false,
    customer_id: record.customer,
    product_id: price.id,
    checkout_id: checkoutId,
    customer_cancellation_reason: reason,
    customer_cancellation_comment: comment,
    metadata,
  }
}
