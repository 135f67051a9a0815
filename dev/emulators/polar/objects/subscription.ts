import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { subscriptionOwn } from '../own.ts'
import { customerOf } from './customer.ts'
import { priceObject, productFields } from './product.ts'
import { complete, since, timeOrNull, timeText } from './wire.ts'

export function subscriptionObject(record: SubscriptionRecord, context: AccountContext): models.Subscription {
  const prices = [priceObject(record.price)]
  const product = { ...productFields(context, record.price), metadata: {}, is_deletable: false, prices, benefits: [] }
  return {
    ...subscriptionFields(record),
    ...{ customer: customerOf(context, record.customer), discount: null, prices, meters: [], pending_update: null },
    product: { ...product, medias: [], attached_custom_fields: [] },
  }
}

export function subscriptionFields(record: SubscriptionRecord) {
  const { id, status, price, cancelAt, endedAt, trialEnd, created } = record
  return complete('subscription', {
    ...{ ...since(created), started_at: timeText(created), ...subscriptionOwn(record) },
    ...{ id, amount: price.amount, currency: price.currency, product_id: price.id, customer_id: record.customer },
    ...{ recurring_interval: price.interval ?? 'month', recurring_interval_count: price.intervalCount ?? 1 },
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    ...{ current_period_start: timeText(record.periodStart), current_period_end: timeText(record.periodEnd) },
    ...{ trial_start: timeOrNull(trialEnd === null ? null : created), trial_end: timeOrNull(trialEnd) },
    ...{ cancel_at_period_end: record.cancelAtPeriodEnd, canceled_at: timeOrNull(record.canceledAt) },
    ...{ ends_at: timeOrNull(endedAt ?? cancelAt), ended_at: timeOrNull(endedAt) },
  })
}
