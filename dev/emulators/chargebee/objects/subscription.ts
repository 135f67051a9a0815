import type { Subscription } from 'chargebee'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { billsOf, isDue } from '../bills.ts'
import { version, type Wire } from './wire.ts'

export function subscriptionObject(subscription: SubscriptionRecord, context: AccountContext): Wire<Subscription> {
  const { id, customer, price, quantity, created, trialEnd, periodStart, periodEnd } = subscription
  const { cancelAt, canceledAt, endedAt } = subscription
  const status = statusOf(subscription)
  const unpaid = billsOf(context, id).filter(isDue)
  const cancelledAt = endedAt ?? cancelAt
  return {
    id,
    currency_code: price.currency,
    customer_id: customer,
    status,
    billing_period: price.intervalCount ?? 1,
    billing_period_unit: price.interval ?? 'month',
    start_date: created,
    current_term_start: periodStart,
    current_term_end: periodEnd,
    ...(status !== 'cancelled' && status !== 'non_renewing' && { next_billing_at: periodEnd }),
    ...(trialEnd !== null && { trial_start: created, trial_end: trialEnd }),
    created_at: created,
    started_at: created,
    ...(status !== 'in_trial' && { activated_at: trialEnd ?? created }),
    ...(cancelledAt !== null && { cancelled_at: cancelledAt }),
    ...(cancelAt !== null && canceledAt !== null && { cancel_schedule_created_at: canceledAt }),
    ...(subscription.cancelReason === 'payment_failed' && { cancel_reason: 'not_paid' }),
    ...version(Math.max(created, periodStart, canceledAt ?? 0, endedAt ?? 0)),
    channel: 'web',
    subscription_items: [
      {
        item_price_id: price.id,
        item_type: 'plan',
        quantity,
        unit_price: price.amount,
        amount: price.amount * quantity,
        free_quantity: 0,
        ...(trialEnd !== null && { trial_end: trialEnd }),
      },
    ],
    due_invoices_count: unpaid.length,
    ...(unpaid[0] && { due_since: unpaid[0].created, total_dues: unpaid.reduce((sum, { amount }) => sum + amount, 0) }),
    has_scheduled_advance_invoices: false,
    has_scheduled_changes: false,
    deleted: false,
    decommissioned: false,
    object: 'subscription',
  }
}

/** Chargebee has no status for a subscription that owes money: it goes on, and counts the invoices that are due. */
function statusOf({ status, cancelAt }: SubscriptionRecord): Subscription['status'] {
  switch (status) {
    case 'trialing':
      return 'in_trial'
    case 'paused':
      return 'paused'
    case 'incomplete':
    case 'active':
    case 'past_due':
    case 'unpaid':
      return cancelAt === null ? 'active' : 'non_renewing'
    default:
      return 'cancelled'
  }
}
