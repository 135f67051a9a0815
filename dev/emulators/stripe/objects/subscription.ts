import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { subscriptionOwn } from '../own.ts'
import { planObject, priceObject } from './price.ts'
import { complete, listOf } from './wire.ts'

export function subscriptionObject(subscription: SubscriptionRecord) {
  const { id, created, status, trialEnd, cancelReason: reason } = subscription
  const { metadata, ...why } = subscriptionOwn(subscription)
  return complete('subscription', {
    ...snakeFields(subscription, 'id', 'cancelAt', 'cancelAtPeriodEnd', 'canceledAt', 'created', 'customer'),
    ...snakeFields(subscription, 'endedAt', 'latestInvoice', 'trialEnd'),
    billing_cycle_anchor: subscription.anchor,
    cancellation_details: { ...why, reason },
    currency: subscription.price.currency,
    items: listOf(`/v1/subscription_items?subscription=${id}`, [itemObject(subscription)]),
    metadata,
    start_date: created,
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    trial_start: trialEnd === null ? null : created,
  })
}

function itemObject(subscription: SubscriptionRecord) {
  const { id, price, periodEnd, periodStart } = subscription
  return complete('subscription_item', {
    ...snakeFields(subscription, 'created', 'quantity'),
    id: `si_${id.slice(4)}`,
    current_period_end: periodEnd,
    current_period_start: periodStart,
    plan: planObject(price),
    price: priceObject(price),
    subscription: id,
  })
}
