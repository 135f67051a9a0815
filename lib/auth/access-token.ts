import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import * as z from 'zod'

/** Who signs: ourselves, whatever the host. */
export const ISSUER = 'paywall-billing'
/** Ed25519 only. Pinned, so that a token cannot choose how it is checked. */
export const ALGORITHM = 'EdDSA'
/** RFC 9068: keeps other tokens signed with the same key from passing for access tokens. */
export const TYPE = 'at+jwt'

/** The JWK sets that this isolate has read. Each keeps its imported keys: to import one takes half as long as to verify. */
const keySets = new Map<string, ReturnType<typeof createLocalJWKSet>>()

/** The user an access token speaks for. */
export interface TokenUser {
  userId: string
  email: string | null
  anonymous: boolean
  /** For whom it is: the owner and the mode on all of whose paywalls it is good. The database compares it: see gate.sql. */
  audience: string
}

const Payload = z.object({
  sub: z.uuid(),
  aud: z.string(),
  email: z.string().nullable(),
  anonymous: z.boolean(),
})

/**
 * The user of a token that we signed and that has not expired; null for any other. For whom it is, the result says: whether
 * that is the owner and the mode of a paywall, only the database knows (gate.sql). `publicKeys` is a JWK set: during a rotation it holds the
 * old key and the new one. `sign-in` holds the private one and signs.
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
    const { sub, aud, email, anonymous } = parsed.data
    return { userId: sub, email, anonymous, audience: aud }
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
