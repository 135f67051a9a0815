import type { SealedAccount } from '../../lib/processors/account.ts'
import type { CompletedRefund, PaymentFact, PurchaseReference } from '../../lib/processors/processor.ts'
import type { SaleRow } from '../../lib/purchases/page.ts'
import type { StopOrder } from '../../lib/purchases/stop-charging.ts'

/** A hosted page or a purchase that this run polls, and the account to query. */
export type DueReference = (
  | { kind: 'page'; sale: SaleRow }
  | { kind: 'subscription' | 'payment'; stop: StopOrder | null; refunds: CompletedRefund[] }
) & {
  /** The processor's id of the page or purchase. */
  processor_id: string
  /** Our id: of the checkout for a `page`, otherwise of the purchase. */
  id: string
  paywall_id: string
  account: SealedAccount
  /** Identifies the account, whichever of its paywalls sells. */
  account_key: string
  /** The paywall's time before the fetch, which becomes the snapshot's `fetched_at`. */
  taken_at: string
}

/** Pending events of one purchase or page, all served by one read. */
export interface DueEvents {
  kind: 'events'
  about: { kind: PurchaseReference['kind']; id: string; sold_to: string | null }
  paywall_id: string
  account: SealedAccount
  /** Identifies the account, whichever of its paywalls sells. */
  account_key: string
  /** The paywall's time before the fetch. */
  taken_at: string
  /** Seconds until the first of them is due again; null if all are given up after this read. */
  wait: number | null
  events: PendingEvent[]
}

export interface PendingEvent {
  id: string
  versions: Record<string, number>
  payment: (Omit<PaymentFact, 'occurredAt'> & { occurred_at: string }) | null
  trial_ending: boolean
  /** Whether it is unsigned: then repeats are not recorded. */
  is_notice: boolean
  /** Whether a read is accepted that lacks the event's objects: the event is old enough. */
  may_miss: boolean
  /** Whether the event is given up if this read cannot apply it. */
  is_last: boolean
}

/**
 * The result of take_due. `cursor` is the paywall where the scan continues; null at its end. `wait`: seconds until something that is due
 * but rate-limited may be read; null if there is nothing like that.
 */
export interface Taken {
  references: (DueReference | DueEvents)[]
  cursor: string | null
  wait: number | null
}
