/** A user as an answer shows it. */
export interface SignedInUser {
  id: string
  email: string | null
  name: string | null
  created_at: string
}

/** What the database functions of sign-in give, with the refusals of each. */
export type SignInResult<Refusal extends string> = { verdict: Refusal } | { verdict: 'signed_in'; user: SignedInUser }
