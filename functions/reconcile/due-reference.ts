import type { SealedAccount } from '../../lib/processors/account.ts'
import type { SaleRow } from '../../lib/purchases/page.ts'

/** A hosted page or a purchase that this run is to look at, and the account to ask about it. */
export type DueReference = ({ kind: 'page'; sale: SaleRow } | { kind: 'subscription' | 'payment' }) & {
  /** The processor's id of it. */
  processor_id: string
  /** Our id of the checkout, for a `page`, or of the purchase. */
  id: string
  paywall_id: string
  account: SealedAccount
  /** The database's time before the fetch, stored as the fetch's time (`fetched_at`). */
  taken_at: string
}

/** What take_due gives. `cursor` is where the way round the paywalls goes on; null at its end. */
export interface Taken {
  references: DueReference[]
  cursor: string | null
}
