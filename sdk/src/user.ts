import { hasCode } from './error.ts'
import type { FeatureName, TokenType } from './register.ts'
import type { UserState } from './schemas.ts'

/** A user's state on the paywall, with helpers for the most common questions. */
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

/** Returns null for the error of an unknown user or one that is not a member of the paywall, and rethrows any other. */
export function nullIfUnknown(error: unknown): null {
  if (hasCode(error, 'identity_not_found') || hasCode(error, 'identity_not_on_paywall')) return null
  throw error
}
