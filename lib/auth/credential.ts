import type { HonoRequest } from 'hono'
import { sha256Hex } from '../crypto/crypto.ts'
import { logSubject } from '../log/log.ts'
import { type TokenUser, verifyAccessToken } from './access-token.ts'

/** The credential of a request (contract section 5), not yet checked against the database. */
export type Credential = Bearer | { kind: 'owner'; keyHash: string }

/** A credential at an endpoint that ignores owner keys. */
export type Bearer = { kind: 'none' } | { kind: 'bad_token' } | ({ kind: 'user' } & TokenUser)

/** Three parts in base64url without padding (RFC 7515), so that each token has only one valid encoding. */
const JWT_BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/**
 * Reads `X-Api-Key` or `Authorization: Bearer`. If both are sent, the owner key is used. An Authorization header that is not a valid Bearer
 * token is `bad_token`, never `none`: the caller must not pass as a guest. The database checks for which owner's paywalls the token is
 * valid.
 */
export async function readCredential(
  request: HonoRequest,
  env: { ACCESS_TOKEN_PUBLIC_KEYS: string },
): Promise<Credential> {
  const key = request.header('x-api-key')
  return key === undefined ? readBearer(request, env) : { kind: 'owner', keyHash: await sha256Hex(key) }
}

/** The hint for a caller that sent an owner key as a Bearer token; undefined for any other. */
export function misplacedKey(request: HonoRequest): { message: string } | undefined {
  const isKey = /^Bearer +pk_(test|live)_/i.test(request.header('authorization') ?? '')
  return isKey ? { message: 'This is an owner key, not an access token: send it as `X-Api-Key`' } : undefined
}

/** Reads `Authorization: Bearer` only, for endpoints that ignore owner keys. */
export async function readBearer(request: HonoRequest, env: { ACCESS_TOKEN_PUBLIC_KEYS: string }): Promise<Bearer> {
  const authorization = request.header('authorization')
  if (authorization === undefined) return { kind: 'none' }

  const token = JWT_BEARER.exec(authorization)?.[1]
  if (!token) return { kind: 'bad_token' }
  const user = await verifyAccessToken(token, env.ACCESS_TOKEN_PUBLIC_KEYS, new Date())
  if (!user) return { kind: 'bad_token' }
  logSubject({ user_id: user.userId })
  return { kind: 'user', ...user }
}
