import { createLocalJWKSet, errors, importJWK, type JSONWebKeySet, type JWK, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'

/** Who signs: ourselves, whatever the host. */
const ISSUER = 'paywall-billing'
/** Ed25519 only. Pinned, so that a token cannot choose how it is checked. */
const ALGORITHM = 'EdDSA'
/** RFC 9068: keeps other tokens signed with the same key from passing for access tokens. */
const TYPE = 'at+jwt'

export const ACCESS_TOKEN_SECONDS = 3600

/** The user an access token speaks for. */
export interface TokenUser {
  userId: string
  email: string | null
  anonymous: boolean
  paywallId: string
}

const Claims = z.object({
  sub: z.uuid(),
  aud: z.string(),
  email: z.string().nullable(),
  anonymous: z.boolean(),
})

/** Signs an access token for one user on one paywall, good for an hour. `privateKey` is an Ed25519 JWK with `kid`. */
export async function signAccessToken(user: TokenUser, privateKey: string, now: Date): Promise<string> {
  const jwk: JWK = JSON.parse(privateKey)
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ email: user.email, anonymous: user.anonymous })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, ...(jwk.kid && { kid: jwk.kid }) })
    .setIssuer(ISSUER)
    .setSubject(user.userId)
    .setAudience(user.paywallId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(await importJWK(jwk, ALGORITHM))
}

/**
 * The user of a token that we signed, that has not expired and that is for this paywall; null for any other.
 * Without a `paywallId` it may be for any paywall: the answer says which. `publicKeys` is a JWK set: during a rotation it holds the old key and the new one.
 */
export async function verifyAccessToken(
  token: string,
  publicKeys: string,
  paywallId: string | null,
  now: Date,
): Promise<TokenUser | null> {
  const keys: JSONWebKeySet = JSON.parse(publicKeys)
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      ...(paywallId !== null && { audience: paywallId }),
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: now,
    })
    const claims = Claims.safeParse(payload)
    if (!claims.success) return null
    const { sub, aud, email, anonymous } = claims.data
    return { userId: sub, email, anonymous, paywallId: aud }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
