import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'

/** How long a refresh token holds if it is not used, in days. Each use gives a new one with as many. */
const REFRESH_TOKEN_DAYS = 30

/** A session's next refresh token: `token` is for the user, `hash` for the database. */
export interface NewRefreshToken {
  sessionId: string
  token: string
  hash: string
}

/** A new session with its first refresh token, as the database functions take it. */
export const sessionOf = ({ sessionId, hash }: NewRefreshToken) => ({
  sessionId,
  tokenHash: hash,
  tokenDays: REFRESH_TOKEN_DAYS,
})

/** A refresh token of a session: its id and 32 random bytes. */
export async function newRefreshToken(sessionId: string): Promise<NewRefreshToken> {
  const secret = base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
  const token = `${sessionId}.${secret}`
  return { sessionId, token, hash: await sha256Hex(token) }
}

/** What a presented refresh token says of itself; null if it cannot be one of ours. */
export async function readRefreshToken(token: string): Promise<{ sessionId: string; hash: string } | null> {
  const sessionId = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token)?.[1]
  return sessionId ? { sessionId, hash: await sha256Hex(token) } : null
}
