import type { HonoRequest } from 'hono'
import { sha256Hex } from '../crypto/crypto.ts'
import { logSubject } from '../log/log.ts'
import { type TokenUser, verifyAccessToken } from './access-token.ts'

/** What a request brought to prove who calls (contract section 5), before the database has its say. */
export type Credential = Bearer | { kind: 'owner'; keyHash: string }

/** A credential at an endpoint that ignores owner keys. */
export type Bearer = { kind: 'none' } | { kind: 'bad_token' } | ({ kind: 'user' } & TokenUser)

/** Three parts in base64url (RFC 7515), which has no padding: a token is to be written in one way only. */
const JWT_BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/**
 * Reads `X-Api-Key` or `Authorization: Bearer`. If both were sent the owner key decides. An Authorization header that
 * is anything but a good Bearer token is `bad_token`, never `none`: it must not pass for a guest. For which owner's
 * paywalls the token is good, the database looks.
 */
export async function readCredential(
  request: HonoRequest,
  env: { ACCESS_TOKEN_PUBLIC_KEYS: string },
): Promise<Credential> {
  const key = request.header('x-api-key')
  return key === undefined ? readBearer(request, env) : { kind: 'owner', keyHash: await sha256Hex(key) }
}

/** What to tell a refused caller who sent an owner key as a Bearer token; undefined for any other. */
export function misplacedKey(request: HonoRequest): { message: string } | undefined {
  const isKey = /^Bearer +pk_(test|live)_/i.test(request.header('authorization') ?? '')
  return isKey ? { message: 'This is an owner key and no access token: send it as `X-Api-Key`' } : undefined
}

/** Reads `Authorization: Bearer` alone, for endpoints that ignore owner keys. */
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
