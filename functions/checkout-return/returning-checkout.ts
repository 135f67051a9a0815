import type { SealedAccount } from '../../lib/processors/account.ts'
import type { SaleRow } from '../../lib/purchases/page.ts'

/** A hosted checkout that a browser comes back from, and the account to ask what became of it. */
export interface ReturningCheckout {
  id: string
  account: SealedAccount
  /** The processor's id of the hosted page; null until it is open. */
  page_id: string | null
  /** What that page was to sell. */
  sale: SaleRow
  success_url: string
  error_url: string
  /** Whether a user chose it and the owner does not name its origin: then the buyer is asked first. */
  success_is_foreign: boolean
  error_is_foreign: boolean
  completed: boolean
  /** Whether the processor is to be asked for this browser. */
  ask: boolean
  /** The database's time before the fetch, stored as the fetch's time (`fetched_at`). */
  now: string
}

/** What read_checkout gives. */
export type ReadCheckoutResult = { verdict: 'unknown_checkout' } | ({ verdict: 'found' } & ReturningCheckout)
