import type { SealedAccount } from '../../lib/processors/account.ts'
import type { CompletedRefund, PaymentFact, PurchaseReference } from '../../lib/processors/processor.ts'
import type { SaleRow } from '../../lib/purchases/page.ts'
import type { StopOrder } from '../../lib/purchases/stop-charging.ts'

/** A hosted page or a purchase that this run is to look at, and the account to ask about it. */
export type DueReference = (
  | { kind: 'page'; sale: SaleRow }
  | { kind: 'subscription' | 'payment'; stop: StopOrder | null; refunds: CompletedRefund[] }
) & {
  /** The processor's id of it. */
  processor_id: string
  /** Our id of the checkout, for a `page`, or of the purchase. */
  id: string
  paywall_id: string
  account: SealedAccount
  /** What the account is known by, whichever of its paywalls sells. */
  account_key: string
  /** The database's time before the fetch, stored as the fetch's time (`fetched_at`). */
  taken_at: string
}

/** Pending events of one purchase or page, which one read is for. */
export interface DueEvents {
  kind: 'events'
  about: { kind: PurchaseReference['kind']; id: string; sold_to: string | null }
  paywall_id: string
  account: SealedAccount
  /** What the account is known by, whichever of its paywalls sells. */
  account_key: string
  /** The paywall's time before the fetch. */
  taken_at: string
  /** In how many seconds the first of them is due again; null: all are given up after this read. */
  wait: number | null
  events: PendingEvent[]
}

export interface PendingEvent {
  id: string
  versions: Record<string, number>
  payment: (Omit<PaymentFact, 'occurredAt'> & { occurred_at: string }) | null
  trial_ending: boolean
  /** Whether nobody has signed it: then it is never known as a repeat. */
  is_notice: boolean
  /** Whether a read counts that lacks what the event names: it has come long enough ago. */
  may_miss: boolean
  /** Whether it is given up if this read does not do. */
  is_last: boolean
}

/**
 * What take_due gives. `cursor` is where the way round the paywalls goes on; null at its end. `wait`: in how many seconds something may be
 * read that is due and may not be asked for now; null: there is nothing like that.
 */
export interface Taken {
  references: (DueReference | DueEvents)[]
  cursor: string | null
  wait: number | null
}
