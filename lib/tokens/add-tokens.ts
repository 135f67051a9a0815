import type { OwnerRefusal } from '../auth/gate.ts'
import type { MemberRefusal } from '../members/member.ts'

/** Maximum number of tokens per change: far below 2^53, so that a balance has room for many changes. */
export const MAX_TOKENS = 1_000_000_000_000
export const MAX_TOKENS_TEXT = '10^12'

/** For the API's document: what a caller does not know if the response was lost. */
export const BALANCE_OUTCOME_UNKNOWN = 'it is unknown whether the balance changed: read it before you retry'

/** Why a balance is not changed, on every endpoint that changes one. */
export type ChangeRefusal = OwnerRefusal | MemberRefusal | 'key_reused' | 'unknown_type'

/** The result of a change: see add-tokens.sql. `Refusal` is every further refusal of the endpoint. */
export type ChangeResult<Refusal extends string, Reply> =
  | { verdict: Refusal }
  /** `available` is exactly what the debit could have used, despite concurrent calls. */
  | { verdict: 'insufficient'; available: number }
  /** `queued` is how many deliveries the change has queued. */
  | { verdict: 'changed' | 'replayed'; reply: Reply; queued: number }
