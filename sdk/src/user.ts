import { hasCode, PaywallError } from './error.ts'
import type { FeatureName, TokenType } from './register.ts'
import type { UserState } from './schemas.ts'

/** A user's state on the paywall, with helpers for the most common questions. */
export type User = UserState & {
  /**
   * Whether a purchase or a grant that gives access now has this feature. `paid` is true if any of them gives access, including the cheapest: it is
   * enough if you sell one product; if plans differ, use `can`.
   */
  can(feature: FeatureName): boolean
  /** How many tokens of a type the user has; 0 if the paywall does not count that type. */
  balance(type: TokenType): number
}

/** The user of an access token. */
export type SignedInUser = User & { user: NonNullable<UserState['user']> }

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

/** Also returns null if the access token was refused: nobody is signed in. */
export const nullIfSignedOut = (error: unknown): null =>
  error instanceof PaywallError && error.status === 401 ? null : nullIfUnknown(error)
