import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from './money-records.ts'
import type { PageRecord, SubscriptionRecord } from './selling-records.ts'

/** Something that happened in an account. Each processor maps it to its own events, or to none. */
export type DomainEvent =
  /** `page.paid` and `page.failed`: the pending payment of a completed page succeeded or failed. */
  | { what: 'page.completed' | 'page.expired' | 'page.paid' | 'page.failed'; page: PageRecord }
  /** At processors where a page's record stands for what was sold on it: its price changed. */
  | { what: 'page.plan_changed'; page: PageRecord }
  | { what: `payment.${Exclude<PaymentRecord['status'], 'open'>}`; payment: PaymentRecord }
  | {
      what: 'subscription.created' | 'subscription.ended' | 'subscription.trial_ending' | `subscription.${Change}`
      subscription: SubscriptionRecord
    }
  /** `update_applied`: a change that waited for its payment was made; `update_expired`: it was not paid in time. */
  | {
      what: 'subscription.update_applied' | 'subscription.update_expired' | 'subscription.schedule_updated'
      subscription: SubscriptionRecord
    }
  /** For every change; the specific events follow it. */
  | { what: 'subscription.updated'; subscription: SubscriptionRecord; before: SubscriptionRecord }
  /** `invoice.created`: only for invoices of a price change. */
  | { what: 'invoice.created' | 'invoice.paid' | 'invoice.failed'; invoice: InvoiceRecord }
  /** Creation and each later change of a refund; the event of its status follows. */
  | {
      what: 'refund.created' | 'refund.updated' | `refund.${RefundRecord['status']}`
      refund: RefundRecord
      payment: PaymentRecord
    }
  | { what: 'dispute.opened' | 'dispute.escalated' | 'dispute.closed'; dispute: DisputeRecord; payment: PaymentRecord }

/** A processor's event for a domain event; `own` has its fields besides type and object. */
export interface NewEvent {
  type: string
  object: object
  own?: Record<string, unknown>
}

/**
 * The kinds of changes of a subscription. `cancelled`: its end is scheduled; `uncancelled`: this was undone. `activated`: a
 * pending or failed charge was paid. `expired`: it was never paid. `price_changed`: it has another price or quantity;
 * `change_scheduled`: it gets one in its next period.
 */
type Change =
  | ('trial_over' | 'renewed' | 'cancelled' | 'uncancelled')
  | ('price_changed' | 'change_scheduled' | 'change_unscheduled')
  | ('paused' | 'resumed' | 'activated' | 'past_due' | 'unpaid' | 'expired')

export function changesBetween(before: SubscriptionRecord, after: SubscriptionRecord): Change[] {
  const changes: Change[] = []
  // A change of price may also begin a period, before the current one ends. So may a resumption, which has its own event.
  const isNext =
    after.periodStart > before.periodStart && after.periodStart >= before.periodEnd && before.status !== 'paused'
  if (isNext) changes.push(before.status === 'trialing' ? 'trial_over' : 'renewed')
  changes.push(...priceChanges(before, after))
  if (before.canceledAt === null && after.canceledAt !== null) changes.push('cancelled')
  if (before.canceledAt !== null && after.canceledAt === null) changes.push('uncancelled')
  if (before.status !== after.status) changes.push(...statusChanges(before, after))
  return changes
}

function priceChanges(before: SubscriptionRecord, after: SubscriptionRecord): Change[] {
  const isOther = JSON.stringify(before.price) !== JSON.stringify(after.price) || before.quantity !== after.quantity
  if (isOther) return ['price_changed']
  if (JSON.stringify(before.scheduled) === JSON.stringify(after.scheduled)) return []
  return [after.scheduled === null ? 'change_unscheduled' : 'change_scheduled']
}

function statusChanges({ status: was }: SubscriptionRecord, { status }: SubscriptionRecord): Change[] {
  if (was === 'paused') return ['resumed']
  if (status === 'paused' || status === 'past_due' || status === 'unpaid') return [status]
  if (status === 'incomplete_expired') return ['expired']
  return status === 'active' && was !== 'trialing' ? ['activated'] : []
}
