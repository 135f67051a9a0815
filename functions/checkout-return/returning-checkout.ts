import type { Acquiring } from '../../lib/processors/acquiring.ts'

/** A hosted checkout that a browser comes back from, and the account to ask what became of it. */
export interface ReturningCheckout {
  id: string
  paywall_id: string
  acquiring: Acquiring
  /** Sealed. */
  credentials: string
  /** The processor's id of the hosted page; null until it is open. */
  page_id: string | null
  success_url: string
  error_url: string
  completed: boolean
  /** Whether the processor is to be asked for this browser. */
  ask: boolean
  /** The database's time before the fetch, stored as the fetch's time (`fetched_at`). */
  now: string
}

/** What read_checkout gives. */
export type ReadCheckoutResult = { verdict: 'unknown_checkout' } | ({ verdict: 'found' } & ReturningCheckout)
