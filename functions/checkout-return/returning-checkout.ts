import type { SealedAccount } from '../../lib/processors/account.ts'
import type { SaleRow } from '../../lib/purchases/page.ts'

/** A hosted checkout that a browser returns from, and the account to query for its result. */
export interface ReturningCheckout {
  id: string
  account: SealedAccount
  /** The processor's id of the hosted page; null until the page is open. */
  page_id: string | null
  /** What the page offered for sale. */
  sale: SaleRow
  success_url: string
  error_url: string
  /** Whether a user chose the URL and the owner does not list its origin: then the buyer must confirm the redirect. */
  success_is_foreign: boolean
  error_is_foreign: boolean
  completed: boolean
  /** Whether to query the processor for this request. */
  ask: boolean
  /** The paywall's time before the fetch, which becomes the snapshot's `fetched_at`. */
  now: string
}

export type ReadCheckoutResult = { verdict: 'unknown_checkout' } | ({ verdict: 'found' } & ReturningCheckout)
