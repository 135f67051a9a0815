import { importJWK, type JWK, SignJWT } from 'jose'
import type * as z from 'zod'
import { ALGORITHM, ISSUER, type TokenUser, TYPE } from '../../lib/auth/access-token.ts'
import { logSubject } from '../../lib/log/log.ts'
import type { TokenReply } from './contract.ts'
import type { RefreshToken } from './refresh-token.ts'

const ACCESS_TOKEN_SECONDS = 3600

/** The result of the database functions of sign-in, each with its own refusals. */
export type SignInResult<Refusal extends string> = { verdict: Refusal } | SignedIn

/**
 * `audience` of the access token: see gate.sql. `replayed`: the call was made before with the same Idempotency-Key. `queued`: the number of
 * deliveries that a merge of users has queued.
 */
interface SignedIn {
  verdict: 'signed_in'
  audience: string
  user: z.output<typeof TokenReply>['user']
  replayed?: true
  queued?: number
}

/** The tokens of a signed-in user, as `token` and `exchange` return them. */
export async function createTokenReply(
  { audience, user }: SignedIn,
  refreshToken: RefreshToken,
  env: { ACCESS_TOKEN_PRIVATE_KEY: string },
): Promise<z.output<typeof TokenReply>> {
  logSubject({ user_id: user.id })
  const anonymous = user.email === null && user.external_id === null
  const tokenUser = { userId: user.id, sessionId: refreshToken.sessionId, email: user.email, anonymous, audience }
  return {
    access_token: await signAccessToken(tokenUser, env.ACCESS_TOKEN_PRIVATE_KEY, new Date()),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken.token,
    user,
  }
}

/**
 * Signs an access token for one user and session, valid on all paywalls of the user's owner and mode. `privateKey` is an Ed25519 JWK with
 * `kid`.
 */
export async function signAccessToken(user: TokenUser, privateKey: string, now: Date): Promise<string> {
  const jwk: JWK = JSON.parse(privateKey)
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ sid: user.sessionId, email: user.email, anonymous: user.anonymous })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, ...(jwk.kid && { kid: jwk.kid }) })
    .setIssuer(ISSUER)
    .setSubject(user.userId)
    .setAudience(user.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(await importJWK(jwk, ALGORITHM))
}
