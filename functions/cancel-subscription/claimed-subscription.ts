import type { SealedAccount } from '../../lib/processors/account.ts'
import type { ObjectVersions } from '../../lib/processors/object-versions.ts'
import type { ClaimRefusal } from './contract.ts'

/** A subscription that this call has claimed the right to cancel, and the account it was bought at. */
export interface ClaimedSubscription {
  id: string
  account: SealedAccount
  processor_id: string
  current_period_end: string | null
  /** The time of the mark, which tells this claim from a later one. */
  requested_at: string
  /** The newest versions that are known of its objects: see object-versions.sql. */
  versions: ObjectVersions
}

/** What claim_cancellation gives. */
export type ClaimResult = { verdict: ClaimRefusal } | { verdict: 'claimed'; subscription: ClaimedSubscription }
