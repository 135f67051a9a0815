import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from './money-records.ts'
import type { PageRecord, SubscriptionRecord } from './selling-records.ts'

/** Something that happened in an account. Each processor makes the events of it that it has, or none. */
export type DomainEvent =
  /** `page.paid` and `page.failed` tell of a page that was completed before its money had arrived. */
  | { what: 'page.completed' | 'page.expired' | 'page.paid' | 'page.failed'; page: PageRecord }
  /** A page's record may stand for what was sold on it, which got another price. */
  | { what: 'page.plan_changed'; page: PageRecord }
  | { what: `payment.${Exclude<PaymentRecord['status'], 'open'>}`; payment: PaymentRecord }
  | {
      what: 'subscription.created' | 'subscription.ended' | 'subscription.trial_ending' | `subscription.${Change}`
      subscription: SubscriptionRecord
    }
  /** Of every change; what the change was about is told after it. */
  | { what: 'subscription.updated'; subscription: SubscriptionRecord; before: SubscriptionRecord }
  /** `invoice.created`: only of one that a change of price has made. */
  | { what: 'invoice.created' | 'invoice.paid' | 'invoice.failed'; invoice: InvoiceRecord }
  /** That a refund was made, and each later change; its status is told after either. */
  | {
      what: 'refund.created' | 'refund.updated' | `refund.${RefundRecord['status']}`
      refund: RefundRecord
      payment: PaymentRecord
    }
  | { what: 'dispute.opened' | 'dispute.escalated' | 'dispute.closed'; dispute: DisputeRecord; payment: PaymentRecord }

/** An event as a processor makes it of a domain event; `own` is what its events have besides a type and an object. */
export interface NewEvent {
  type: string
  object: object
  own?: Record<string, unknown>
}

/**
 * What a change of a subscription is about. `cancelled`: its end is decided, `uncancelled`: it is not any more. `activated`:
 * a charge went through that it had waited for. `expired`: it was never paid. `change_scheduled`: it gets another price with its
 * next period.
 */
type Change =
  | ('trial_over' | 'renewed' | 'cancelled' | 'uncancelled')
  | ('price_changed' | 'change_scheduled' | 'change_unscheduled')
  | ('paused' | 'resumed' | 'activated' | 'past_due' | 'unpaid' | 'expired')

export function changesBetween(before: SubscriptionRecord, after: SubscriptionRecord): Change[] {
  const changes: Change[] = []
  // A change of price may begin a period, too: before the last one's end. So may the end of a pause, which has an event of its own.
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
  if (JSON.stringify(before.price) !== JSON.stringify(after.price)) return ['price_changed']
  if (JSON.stringify(before.scheduled) === JSON.stringify(after.scheduled)) return []
  return [after.scheduled === null ? 'change_unscheduled' : 'change_scheduled']
}

function statusChanges({ status: was }: SubscriptionRecord, { status }: SubscriptionRecord): Change[] {
  if (was === 'paused') return ['resumed']
  if (status === 'paused' || status === 'past_due' || status === 'unpaid') return [status]
  if (status === 'incomplete_expired') return ['expired']
  return status === 'active' && was !== 'trialing' ? ['activated'] : []
}
