// A visitor's session: the access token and the refresh token, in cookies that no script can read.
//
// On a paywall's own domain they have the prefix `__Host-`: no other host can set them. On the service's host they belong to the
// paywall's path, so that two paywalls there do not share one; a browser takes `__Host-` for the root only.
//
// In a dialog on another site, a browser sends only cookies that allow it (`SameSite=None`), and keeps them apart for that site
// (`Partitioned`). They have a path of their own, so that they are not sent to the pages outside.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import * as z from 'zod'
import { isLocalUrl } from '../../lib/http/same-origin.ts'
import { callApi, failure, isRefused, type PagesContext, type Refused } from './call-api.ts'
import { isEmbeddedPath } from './contract.ts'

/** Where a paywall's pages are. */
export interface SiteBase {
  paywallId: string
  /** `/`, or `/p/1001` on the service's host. */
  path: string
}

const ACCESS = 'paywall_access'
const REFRESH = 'paywall_refresh'
/** The access token of the user who is signed in on the owner's page that shows a dialog. It precedes the dialog's own session. */
const GIVEN = 'paywall_given'

/** A token that is about to expire is not sent any more, in seconds: the call must arrive in time. */
const MARGIN_SECONDS = 60
/** A refresh token holds for 30 days. */
const REFRESH_SECONDS = 30 * 24 * 60 * 60

const Tokens = z.object({ access_token: z.string(), expires_in: z.number(), refresh_token: z.string() })

/** How a cookie is kept that only the paywall's own pages read. */
export function cookieOptions(c: PagesContext, { path }: SiteBase): CookieOptions {
  if (isEmbeddedPath(path))
    return { path, httpOnly: true, sameSite: 'None', secure: true, partitioned: true, prefix: 'secure' }
  const options = { path, httpOnly: true, sameSite: 'Lax' } as const
  if (isLocalUrl(new URL(c.req.url))) return options
  return { ...options, secure: true, prefix: path === '/' ? 'host' : 'secure' }
}

const read = (c: PagesContext, base: SiteBase, name: string) => getCookie(c, name, cookieOptions(c, base).prefix)

/** Why a session is over. `merged`: its user is now another one, who has the purchases, as after restoring them elsewhere. */
export type SessionEnd = 'merged' | 'expired'

/** The visitor's access token; null: nobody is signed in. `ended`: why, if this request has found that a session is over. */
export interface Session {
  token: string | null
  ended: SessionEnd | null
}

/** The visitor's session, with a fresh token if need be. */
export async function readSession(c: PagesContext, base: SiteBase): Promise<Session> {
  const token = readGivenToken(c, base) ?? read(c, base, ACCESS)
  return token === undefined ? nextToken(c, base) : { token, ended: null }
}

/** The access token that the owner's page has given to its dialog; null if it has given none. */
export const readGivenToken = (c: PagesContext, base: SiteBase): string | null => read(c, base, GIVEN) ?? null

/** Continues the session with new tokens, if there is one that is not over. */
export async function nextToken(c: PagesContext, base: SiteBase): Promise<Session> {
  const refreshToken = read(c, base, REFRESH)
  if (!refreshToken) return { token: null, ended: null }
  const next = await beginSession(c, base, { grant_type: 'refresh_token', refresh_token: refreshToken })
  if (!isRefused(next)) return { token: next.token, ended: null }
  if (next.status !== 400) throw failure(next)
  dropSession(c, base)
  return { token: null, ended: next.reason === 'merged' ? 'merged' : 'expired' }
}

/** Gets tokens for a grant of `sign-in/token`, and keeps them. `token` is that of the anonymous user so far, if there is one. */
export async function beginSession(
  c: PagesContext,
  base: SiteBase,
  grant: object,
  { token = null, headers = {} }: { token?: string | null; headers?: Record<string, string> } = {},
): Promise<{ token: string } | Refused> {
  const path = `/api/v1/paywall/${base.paywallId}/sign-in/token`
  const tokens = await callApi(c, 'SIGN_IN', Tokens, { path, body: grant, token, headers })
  if (isRefused(tokens)) return tokens
  const options = cookieOptions(c, base)
  setCookie(c, ACCESS, tokens.access_token, { ...options, maxAge: tokens.expires_in - MARGIN_SECONDS })
  setCookie(c, REFRESH, tokens.refresh_token, { ...options, maxAge: REFRESH_SECONDS })
  dropGivenToken(c, base)
  return { token: tokens.access_token }
}

/** Signs the visitor out. Also where the session cannot be ended at the service, this browser forgets it. */
export async function endSession(c: PagesContext, base: SiteBase): Promise<void> {
  const refreshToken = read(c, base, REFRESH)
  dropSession(c, base)
  if (!refreshToken) return
  const path = `/api/v1/paywall/${base.paywallId}/sign-in/end`
  await callApi(c, 'SIGN_IN', z.object({}), { path, body: { refresh_token: refreshToken } })
}

/** Signs in, in a dialog, the user whose access token the owner's page gives. Without one the dialog's own session goes on. */
export function giveSession(c: PagesContext, base: SiteBase, token: string): void {
  if (token) setCookie(c, GIVEN, token, cookieOptions(c, base))
  else dropGivenToken(c, base)
}

function dropGivenToken(c: PagesContext, base: SiteBase): void {
  if (readGivenToken(c, base) !== null) deleteCookie(c, GIVEN, cookieOptions(c, base))
}

/** Has the browser forget the session. */
export function dropSession(c: PagesContext, base: SiteBase): void {
  for (const name of [ACCESS, REFRESH]) deleteCookie(c, name, cookieOptions(c, base))
  dropGivenToken(c, base)
}
