import type { Acquiring } from '../../lib/processors/acquiring.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'

/** A checkout or purchase that is ours to look at, and the account to ask about it: what take_due gives. */
export interface DueReference {
  kind: PurchaseReference['kind']
  /** The processor's id of it. */
  processor_id: string
  /** Our id of the checkout, for a `page`, or of the purchase. */
  id: string
  paywall_id: string
  acquiring: Acquiring
  /** Sealed. */
  credentials: string
  /** When it was taken, by the database's clock: whatever is fetched after it is newer than it. */
  taken_at: string
}
