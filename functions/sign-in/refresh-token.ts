import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { keyedHash } from '../../lib/crypto/keyed-hash.ts'

/** Lifetime of an unused refresh token, in days. Each use returns a new one with the same lifetime, until the session ends. */
const REFRESH_TOKEN_DAYS = 30

/** A refresh token of a session: the user gets `token`, the database `hash`. */
export interface RefreshToken {
  sessionId: string
  token: string
  hash: string
}

/** A session with its refresh token, as parameters of the database functions. */
export const toSession = ({ sessionId, hash }: RefreshToken) => ({
  sessionId,
  tokenHash: hash,
  tokenDays: REFRESH_TOKEN_DAYS,
})

/** The first refresh token of a new session: the session's id and 32 random bytes. */
export function newRefreshToken(): Promise<RefreshToken> {
  return refreshToken(crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(32)))
}

/** For calls with an Idempotency-Key: the same key yields the same session and token. `key` is SIGN_IN_CODE_KEY. */
export async function idempotentRefreshToken(
  paywallId: string,
  idempotencyKey: string,
  key: string,
): Promise<RefreshToken> {
  const derive = (what: string) => keyedHash([what, paywallId, idempotencyKey], key)
  return refreshToken(toUuid(await derive('session of an Idempotency-Key')), await derive('its refresh token'))
}

/** A custom UUID (RFC 9562, version 8) made of the first 16 bytes. */
function toUuid(bytes: Uint8Array): string {
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-')
}

/**
 * Derives the next token of a session. The next token depends only on this one, so two tabs that refresh at once get the same; no token is
 * stored, and without `key` it cannot be predicted. `key` is SIGN_IN_CODE_KEY.
 */
export async function nextRefreshToken(presented: RefreshToken, key: string): Promise<RefreshToken> {
  return refreshToken(presented.sessionId, await keyedHash(['next refresh token', presented.token], key))
}

async function refreshToken(sessionId: string, secret: Uint8Array): Promise<RefreshToken> {
  const token = `${sessionId}.${base64url.encode(secret)}`
  return { sessionId, token, hash: await sha256Hex(token) }
}

/** The session id in a refresh token; null if the format is wrong. */
export const parseSessionId = (token: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token)?.[1] ?? null

/** Parses a refresh token that a user sent; null if the format is wrong. */
export async function readRefreshToken(token: string): Promise<RefreshToken | null> {
  const sessionId = parseSessionId(token)
  return sessionId ? { sessionId, token, hash: await sha256Hex(token) } : null
}
