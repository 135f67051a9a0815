// The session of whoever is signed in: a random token in a cookie that no script can read and no other site sends. The database has its hash.
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { base64url } from 'jose'
import type { TeamRole } from '../../lib/auth/team-roles.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { isLocalUrl } from '../../lib/http/same-origin.ts'

export type ConsoleContext = Context<{ Bindings: Cloudflare.ConsoleEnv }>

/** Whoever is signed in, as viewer_json in open-console.sql gives it. */
export interface Viewer {
  email: string
  role: TeamRole
  permissions: string[]
  owner: Owner
  /** The other owners in whose team the person is. */
  others: Owner[]
}

export interface Owner {
  id: string
  email: string
}

/** Test and live users and paywalls are separate: a page shows those of one mode. */
export type Mode = 'test' | 'live'

/** Why a page is not shown. */
export type PageRefusal = 'signed_out' | 'not_permitted'

/** The result of a page's database call. */
export type PageResult<Content, Missing extends string = never> =
  | { verdict: PageRefusal | Missing }
  | ({ verdict: 'found'; viewer: Viewer } & Content)

export const sessionErrors = defineErrors<PageRefusal>({
  signed_out: [401, 'signed_out', 'Sign in to the console'],
  not_permitted: [403, 'not_permitted', 'Your role does not permit this'],
})

const COOKIE = 'console_session'
/** As console_session_lifetime in sign-in-to-console.sql. */
const LIFETIME_SECONDS = 12 * 60 * 60

function cookieOptions(c: ConsoleContext): CookieOptions {
  const options = { path: '/', httpOnly: true, sameSite: 'Strict' } as const
  return isLocalUrl(new URL(c.req.url)) ? options : { ...options, secure: true, prefix: 'host' }
}

/** The session's token, with which the API is called in place of an owner key. @throws ApiError 401 without a session */
export function sessionToken(c: ConsoleContext): string {
  const token = getCookie(c, COOKIE, cookieOptions(c).prefix)
  if (!token) throw apiError(sessionErrors.signed_out)
  return token
}

/** The hash of the session's token, with which each database call is made. @throws ApiError 401 without a session */
export const sessionHash = async (c: ConsoleContext): Promise<string> => sha256Hex(sessionToken(c))

/** Creates a session's token, and its hash for the database. */
export async function newSession(): Promise<{ token: string; sessionHash: string }> {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
  return { token, sessionHash: await sha256Hex(token) }
}

export function keepSession(c: ConsoleContext, token: string): void {
  setCookie(c, COOKIE, token, { ...cookieOptions(c), maxAge: LIFETIME_SECONDS })
}

export function dropSession(c: ConsoleContext): void {
  deleteCookie(c, COOKIE, cookieOptions(c))
}

/** The mode in the page's path. */
export const pageMode = (c: ConsoleContext): Mode => (c.req.param('mode') === 'test' ? 'test' : 'live')

export const isTestMode = (c: ConsoleContext): boolean => pageMode(c) === 'test'
