import { importJWK, type JWK, SignJWT } from 'jose'
import { ALGORITHM, ISSUER, type TokenUser, TYPE } from '../../lib/auth/access-token.ts'

export const ACCESS_TOKEN_SECONDS = 3600

/** Signs an access token for one user, good for an hour on all paywalls of the user's owner and mode. `privateKey` is an Ed25519 JWK with `kid`. */
export async function signAccessToken(user: TokenUser, privateKey: string, now: Date): Promise<string> {
  const jwk: JWK = JSON.parse(privateKey)
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ email: user.email, anonymous: user.anonymous })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, ...(jwk.kid && { kid: jwk.kid }) })
    .setIssuer(ISSUER)
    .setSubject(user.userId)
    .setAudience(user.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(await importJWK(jwk, ALGORITHM))
}
