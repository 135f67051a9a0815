import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import * as z from 'zod'

/** The issuer is the service itself, whatever the host. */
export const ISSUER = 'paywall-billing'
/** Pinned to Ed25519, so that a token cannot choose its own algorithm. */
export const ALGORITHM = 'EdDSA'
/** RFC 9068: prevents other tokens signed with the same key from being accepted as access tokens. */
export const TYPE = 'at+jwt'

/** Parsed JWK sets of this isolate. They cache imported keys: an import takes half as long as a verification. */
const keySets = new Map<string, ReturnType<typeof createLocalJWKSet>>()

/** The user of an access token. */
export interface TokenUser {
  userId: string
  /** The session in which it was issued: the token ends with it. The database compares it: see gate.sql. */
  sessionId: string
  email: string | null
  anonymous: boolean
  /** The audience: the owner and the mode, for all of whose paywalls it is valid. The database compares it: see gate.sql. */
  audience: string
}

const Payload = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  aud: z.string(),
  email: z.string().nullable(),
  anonymous: z.boolean(),
})

/**
 * Verifies a token and returns its user and audience; null if it is not signed by us or has expired. Whether the audience matches the
 * paywall, only the database knows (gate.sql). `publicKeys` is a JWK set, which holds the old and the new key during a rotation. `sign-in`
 * holds the private key and signs.
 */
export async function verifyAccessToken(token: string, publicKeys: string, now: Date): Promise<TokenUser | null> {
  const keys = keySet(publicKeys)
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      requiredClaims: ['sub', 'aud', 'iat', 'exp'],
      currentDate: now,
    })
    const parsed = Payload.safeParse(payload)
    if (!parsed.success) return null
    const { sub, sid, aud, email, anonymous } = parsed.data
    return { userId: sub, sessionId: sid, email, anonymous, audience: aud }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

function keySet(publicKeys: string) {
  const known = keySets.get(publicKeys)
  if (known) return known
  const keys: JSONWebKeySet = JSON.parse(publicKeys)
  const keySet = createLocalJWKSet(keys)
  keySets.set(publicKeys, keySet)
  return keySet
}
