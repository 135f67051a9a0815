import type { OwnerRefusal } from '../auth/gate.ts'
import type { MemberRefusal } from '../members/member.ts'

/** The most tokens that one change of a balance may move: below 2^53 there is room for many changes. */
export const MAX_TOKENS = 1_000_000_000_000

/** What is not known of a change if its answer was lost, as the API's document says it. */
export const UNKNOWN_CHANGE =
  'it is not known whether the balance was changed: read the balance before you repeat the call'

/** Why a balance stays as it is, at every endpoint that changes one. */
export type ChangeRefusal = OwnerRefusal | MemberRefusal | 'key_reused' | 'unknown_type'

/** What came of a change: see change-count.sql. `Refusal` is every other one that the endpoint can meet. */
export type ChangeResult<Refusal extends string, Reply> =
  | { verdict: Refusal }
  /** `available` is what the debit could have taken, exactly, however many were under way. */
  | { verdict: 'insufficient'; available: number }
  /** `queued` is how many deliveries the change has queued. */
  | { verdict: 'changed' | 'replayed'; reply: Reply; queued: number }
