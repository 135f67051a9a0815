import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { keyedHash } from './keyed-hash.ts'

/** How long a refresh token holds if it is not used, in days. Each use gives a new one with as many, until the session ends. */
const REFRESH_TOKEN_DAYS = 30

/** A refresh token that a session gets: `token` is for the user, `hash` for the database. */
export interface NewRefreshToken {
  sessionId: string
  token: string
  hash: string
}

/** A session with the refresh token that it gets, as the database functions take it. */
export const sessionOf = ({ sessionId, hash }: NewRefreshToken) => ({
  sessionId,
  tokenHash: hash,
  tokenDays: REFRESH_TOKEN_DAYS,
})

/** The first refresh token of a new session: the session's id and 32 random bytes. */
export function firstRefreshToken(): Promise<NewRefreshToken> {
  return refreshToken(crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(32)))
}

/** The first refresh token of an attempt to sign in anonymously: the same one for the same attempt. `key` is SIGN_IN_CODE_KEY. */
export async function refreshTokenOfAttempt(paywallId: string, attempt: string, key: string): Promise<NewRefreshToken> {
  const derive = (what: string) => keyedHash([what, paywallId, attempt.toLowerCase()], key)
  return refreshToken(uuidOf(await derive('session of an attempt')), await derive('refresh token of an attempt'))
}

/** A UUID of one's own making (RFC 9562, version 8), of the first 16 bytes. */
function uuidOf(bytes: Uint8Array): string {
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-')
}

/**
 * The token that comes after another one of the session. The same one gives the same next one, so that two tabs get the same
 * although no token is stored; without `key` nobody can tell which. `key` is SIGN_IN_CODE_KEY.
 */
export async function nextRefreshToken(before: PresentedToken, key: string): Promise<NewRefreshToken> {
  return refreshToken(before.sessionId, await keyedHash(['next refresh token', before.token], key))
}

async function refreshToken(sessionId: string, secret: Uint8Array): Promise<NewRefreshToken> {
  const token = `${sessionId}.${base64url.encode(secret)}`
  return { sessionId, token, hash: await sha256Hex(token) }
}

/** A refresh token as its user sent it. */
export interface PresentedToken {
  sessionId: string
  token: string
  hash: string
}

/** The id of the session that a refresh token is of; null if it cannot be one of ours. */
export const sessionIdOf = (token: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token)?.[1] ?? null

/** What a presented refresh token says of itself; null if it cannot be one of ours. */
export async function readRefreshToken(token: string): Promise<PresentedToken | null> {
  const sessionId = sessionIdOf(token)
  return sessionId ? { sessionId, token, hash: await sha256Hex(token) } : null
}
