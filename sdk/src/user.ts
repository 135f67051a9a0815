import { hasCode } from './error.ts'
import type { FeatureName, TokenType } from './register.ts'
import type { UserState } from './schemas.ts'

/** A user's state on the paywall, with what is asked of it most often. */
export type User = UserState & {
  /** Whether a purchase that gives access now has this feature. */
  can(feature: FeatureName): boolean
  /** How many tokens of a type the user has; 0 if the paywall does not count that type. */
  balance(type: TokenType): number
}

export const toUser = (state: UserState): User => ({
  ...state,
  can: (feature) => state.features.includes(feature),
  balance: (type) => state.balances.find((each) => each.type === type)?.count ?? 0,
})

/** What becomes of a read of a user whom nobody knows, or nobody on this paywall. */
export function nullIfUnknown(error: unknown): null {
  if (hasCode(error, 'identity_not_found') || hasCode(error, 'identity_not_on_paywall')) return null
  throw error
}
