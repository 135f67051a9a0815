import type { SealedAccount } from '../../lib/processors/account.ts'
import type { ObjectVersions } from '../../lib/processors/object-versions.ts'
import type { ClaimRefusal } from './contract.ts'

/** A subscription that this call has claimed for cancellation, and the account through which it was bought. */
export interface ClaimedSubscription {
  id: string
  account: SealedAccount
  processor_id: string
  current_period_end: string | null
  /** The time of the mark, which identifies this claim. */
  requested_at: string
  /** The newest known versions of its objects: see object-versions.sql. */
  versions: ObjectVersions
}

/** The result of claim_cancellation. */
export type ClaimResult = { verdict: ClaimRefusal } | { verdict: 'claimed'; subscription: ClaimedSubscription }
