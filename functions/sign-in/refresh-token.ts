import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { keyedHash } from './keyed-hash.ts'

/** How long a refresh token holds if it is not used, in days. Each use gives a new one with as many, until the session ends. */
const REFRESH_TOKEN_DAYS = 30

/** A refresh token of a session: `token` is for the user, `hash` for the database. */
export interface RefreshToken {
  sessionId: string
  token: string
  hash: string
}

/** A session with the refresh token that it gets, as the database functions take it. */
export const toSession = ({ sessionId, hash }: RefreshToken) => ({
  sessionId,
  tokenHash: hash,
  tokenDays: REFRESH_TOKEN_DAYS,
})

/** The first refresh token of a new session: the session's id and 32 random bytes. */
export function newRefreshToken(): Promise<RefreshToken> {
  return refreshToken(crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(32)))
}

/** The same for calls with an Idempotency-Key: the same key gives the same session and token. `key` is SIGN_IN_CODE_KEY. */
export async function repeatableRefreshToken(
  paywallId: string,
  idempotencyKey: string,
  key: string,
): Promise<RefreshToken> {
  const derive = (what: string) => keyedHash([what, paywallId, idempotencyKey], key)
  return refreshToken(toUuid(await derive('session of an Idempotency-Key')), await derive('its refresh token'))
}

/** A UUID of one's own making (RFC 9562, version 8), of the first 16 bytes. */
function toUuid(bytes: Uint8Array): string {
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-')
}

/**
 * The token that comes after another one of the session. The same one gives the same next one, so that two tabs get the same
 * although no token is stored; without `key` nobody can tell which. `key` is SIGN_IN_CODE_KEY.
 */
export async function nextRefreshToken(before: RefreshToken, key: string): Promise<RefreshToken> {
  return refreshToken(before.sessionId, await keyedHash(['next refresh token', before.token], key))
}

async function refreshToken(sessionId: string, secret: Uint8Array): Promise<RefreshToken> {
  const token = `${sessionId}.${base64url.encode(secret)}`
  return { sessionId, token, hash: await sha256Hex(token) }
}

/** The id of the session that a refresh token is of; null if it cannot be one of ours. */
export const parseSessionId = (token: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token)?.[1] ?? null

/** What a refresh token as its user sent it says of itself; null if it cannot be one of ours. */
export async function readRefreshToken(token: string): Promise<RefreshToken | null> {
  const sessionId = parseSessionId(token)
  return sessionId ? { sessionId, token, hash: await sha256Hex(token) } : null
}
