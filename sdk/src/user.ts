import type { UserState } from './schemas.ts'

/** A user's state on the paywall, with what is asked of it most often. */
export type User = UserState & {
  /** How many tokens of a type the user has; 0 if the paywall does not count that type. */
  balance(type: string): number
}

export const userOf = (state: UserState): User => ({
  ...state,
  balance: (type) => state.balances.find((each) => each.type === type)?.count ?? 0,
})
