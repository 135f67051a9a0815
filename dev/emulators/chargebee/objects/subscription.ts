import type { Subscription } from 'chargebee'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { CustomerRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { billsOf, isDue } from '../bills.ts'
import { complete, content, version } from './wire.ts'

/** A subscription, and whose it is. */
export const withCustomer = (subscription: SubscriptionRecord, context: AccountContext) =>
  content(subscriptionObject(subscription, context), customerObject(find(context, 'customers', subscription.customer)))

export const customerObject = ({ id, email, created }: CustomerRecord) =>
  complete('customer', { id, ...(email !== null && { email }), created_at: created, ...version(created) })

export function subscriptionObject(subscription: SubscriptionRecord, context: AccountContext) {
  const { id, customer, price, quantity, created, trialEnd, periodStart, periodEnd } = subscription
  const { cancelAt, canceledAt, endedAt } = subscription
  const status = statusOf(subscription)
  const unpaid = billsOf(context, id).filter((bill) => isDue(context, bill))
  const cancelledAt = endedAt ?? cancelAt
  const amount = price.amount * quantity
  const item = { item_price_id: price.id, quantity, unit_price: price.amount, amount, free_quantity: 0 }
  return complete('subscription', {
    ...{ id, status, customer_id: customer, currency_code: price.currency },
    ...{ billing_period: price.intervalCount ?? 1, billing_period_unit: price.interval ?? 'month' },
    ...{ created_at: created, started_at: created, start_date: created },
    ...{ current_term_start: periodStart, current_term_end: periodEnd },
    ...(status !== 'cancelled' && status !== 'non_renewing' && { next_billing_at: periodEnd }),
    ...(trialEnd !== null && { trial_start: created, trial_end: trialEnd }),
    ...(status !== 'in_trial' && { activated_at: trialEnd ?? created }),
    ...(cancelledAt !== null && { cancelled_at: cancelledAt }),
    ...(cancelAt !== null && canceledAt !== null && { cancel_schedule_created_at: canceledAt }),
    ...(subscription.cancelReason === 'payment_failed' && { cancel_reason: 'not_paid' as const }),
    ...version(Math.max(created, periodStart, canceledAt ?? 0, endedAt ?? 0)),
    subscription_items: [{ ...item, item_type: 'plan', ...(trialEnd !== null && { trial_end: trialEnd }) }],
    due_invoices_count: unpaid.length,
    ...(unpaid[0] && { due_since: unpaid[0].created, total_dues: unpaid.reduce((sum, { amount }) => sum + amount, 0) }),
  })
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
