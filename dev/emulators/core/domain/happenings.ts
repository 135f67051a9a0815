import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from './money-records.ts'
import type { PageRecord, SubscriptionRecord } from './selling-records.ts'

/** Something that happened in an account. Each processor makes the events of it that it has, or none. */
export type Happening =
  /** `page.paid` and `page.failed` tell of a page that was completed before its money had arrived. */
  | { what: 'page.completed' | 'page.expired' | 'page.paid' | 'page.failed'; page: PageRecord }
  | { what: `payment.${Exclude<PaymentRecord['status'], 'open'>}`; payment: PaymentRecord }
  | {
      what: 'subscription.created' | 'subscription.ended' | 'subscription.trial_ending' | `subscription.${News}`
      subscription: SubscriptionRecord
    }
  /** Of every change; what the change was about is told after it. */
  | { what: 'subscription.updated'; subscription: SubscriptionRecord; before: SubscriptionRecord }
  | { what: 'invoice.paid' | 'invoice.failed'; invoice: InvoiceRecord }
  /** That a refund was made, and each later change; its status is told after either. */
  | {
      what: 'refund.created' | 'refund.updated' | `refund.${RefundRecord['status']}`
      refund: RefundRecord
      payment: PaymentRecord
    }
  | { what: 'dispute.opened' | 'dispute.closed'; dispute: DisputeRecord; payment: PaymentRecord }

/** An event as a processor makes it of a happening; `own` is what its events have besides a type and an object. */
export interface NewEvent {
  type: string
  object: object
  own?: Record<string, unknown>
}

/**
 * What a change of a subscription is about. `cancelled`: its end is decided, `uncancelled`: it is not any more. `activated`:
 * a charge went through that it had waited for. `expired`: it was never paid.
 */
type News =
  | ('trial_over' | 'renewed' | 'cancelled' | 'uncancelled')
  | ('paused' | 'resumed' | 'activated' | 'past_due' | 'unpaid' | 'expired')

export function newsOf(before: SubscriptionRecord, after: SubscriptionRecord): News[] {
  const news: News[] = []
  if (after.periodStart > before.periodStart) news.push(before.status === 'trialing' ? 'trial_over' : 'renewed')
  if (before.canceledAt === null && after.canceledAt !== null) news.push('cancelled')
  if (before.canceledAt !== null && after.canceledAt === null) news.push('uncancelled')
  if (before.status !== after.status) news.push(...newsOfStatus(before, after))
  return news
}

function newsOfStatus({ status: was }: SubscriptionRecord, { status }: SubscriptionRecord): News[] {
  if (was === 'paused') return ['resumed']
  if (status === 'paused' || status === 'past_due' || status === 'unpaid') return [status]
  if (status === 'incomplete_expired') return ['expired']
  return status === 'active' && was !== 'trialing' ? ['activated'] : []
}
