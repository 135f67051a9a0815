import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from './money-records.ts'
import type { PageRecord, SubscriptionRecord } from './selling-records.ts'

/** Something that happened in an account. Each processor makes the events of it that it has, or none. */
export type Happening =
  /** `page.paid` and `page.failed` tell of a page that was completed before its money had arrived. */
  | { what: 'page.completed' | 'page.expired' | 'page.paid' | 'page.failed'; page: PageRecord }
  | { what: `payment.${Exclude<PaymentRecord['status'], 'open'>}`; payment: PaymentRecord }
  | {
      what: 'subscription.created' | 'subscription.ended' | 'subscription.trial_ending'
      subscription: SubscriptionRecord
    }
  | { what: 'subscription.updated'; subscription: SubscriptionRecord; before: SubscriptionRecord }
  | { what: 'invoice.paid' | 'invoice.failed'; invoice: InvoiceRecord }
  | { what: 'refund.created' | 'refund.updated'; refund: RefundRecord; payment: PaymentRecord }
  | { what: 'dispute.opened' | 'dispute.closed'; dispute: DisputeRecord; payment: PaymentRecord }

/** An event as a processor makes it of a happening; `own` is what its events have besides a type and an object. */
export interface NewEvent {
  type: string
  object: object
  own?: Record<string, unknown>
}
