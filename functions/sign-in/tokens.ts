import type * as z from 'zod'
import type { TokenReply } from './grants.ts'
import type { NewRefreshToken } from './refresh-token.ts'
import { ACCESS_TOKEN_SECONDS, signAccessToken } from './sign-access-token.ts'

/** A user as an answer shows it. */
interface SignedInUser {
  id: string
  email: string | null
  external_id: string | null
  name: string | null
  created_at: string
}

/** What the database functions of sign-in give, with the refusals of each. */
export type SignInResult<Refusal extends string> = { verdict: Refusal } | SignedIn

/** `audience`: for whom the access token is, see gate.sql. */
interface SignedIn {
  verdict: 'signed_in'
  audience: string
  user: SignedInUser
}

/** The tokens of a user who is signed in, as `token` and `exchange` answer them. */
export async function tokensFor(
  { audience, user }: SignedIn,
  refreshToken: NewRefreshToken,
  env: { ACCESS_TOKEN_PRIVATE_KEY: string },
): Promise<z.output<typeof TokenReply>> {
  const anonymous = user.email === null && user.external_id === null
  const tokenUser = { userId: user.id, email: user.email, anonymous, audience }
  return {
    access_token: await signAccessToken(tokenUser, env.ACCESS_TOKEN_PRIVATE_KEY, new Date()),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken.token,
    user,
  }
}
