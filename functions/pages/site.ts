// A paywall as a visitor's browser reaches it: which one, where its pages are, and in which language they speak.
import * as z from 'zod'
import { ApiError, apiError, defineErrors } from '../../lib/http/errors.ts'
import { logPaywall } from '../../lib/http/paywall-target.ts'
import { callApi, isRefused, type PagesContext, type Refused } from './call-api.ts'
import { listImages } from './images.ts'
import { localeFor, parseTag } from './locale.ts'
import { dropSession, type Home, nextToken, readToken } from './session.ts'
import { Structure, type User } from './structure.ts'
import type { Texts } from './texts/en.ts'
import { TEXTS, textsFor } from './texts/texts.ts'

export interface Site extends Home {
  structure: Structure
  /** The key of the paywall's `locales` that its texts are taken from. */
  locale: string
  /** The language of the page, as HTML and `Intl` name it. */
  tag: string
  /** What the pages themselves say. */
  texts: Texts
  /** The visitor's access token, while somebody is signed in. */
  token: string | null
  /** What the visitor has on the paywall; null: a guest, or somebody who never came here. */
  user: User | null
  /** A text of the owner's, by its key. */
  text(key: string): string
  /** The address of one of the paywall's pages, in the language that the visitor has chosen. */
  href(path: string, query?: Record<string, string>): string
  /** The address of the present page in another language. */
  hereIn(locale: string): string
  /** Where this origin serves an image that the paywall's file names. */
  image(src: string): string
}

const errors = defineErrors<'unknown_paywall'>({ unknown_paywall: [404, 'paywall_not_found'] })

const Found = z.object({ id: z.string() })

/** The paywall that a request is about, by its path or its host; null: the host is no paywall's. */
export async function findHome(c: PagesContext): Promise<Home | null> {
  const named = c.req.param('id')
  if (named !== undefined) return { paywallId: named, path: `/p/${named}` }
  const found = await callApi(c, 'BOOTSTRAP', Found, { path: '/api/v1/paywall' })
  if (isRefused(found) && found.status === 404) return null
  if (isRefused(found)) throw failure(found)
  logPaywall(c, found.id)
  return { paywallId: found.id, path: '/' }
}

/** What everybody may see of the paywall that a request is about. @throws ApiError as `openSite` */
export async function structureFor(c: PagesContext): Promise<Structure> {
  const home = await findHome(c)
  if (!home) throw apiError(errors.unknown_paywall)
  const structure = await readStructure(c, home, null)
  if (isRefused(structure)) throw failure(structure)
  return structure
}

/** The site that a request is about. @throws ApiError if there is none, or it cannot be read */
export async function findSite(c: PagesContext): Promise<Site> {
  const home = await findHome(c)
  if (!home) throw apiError(errors.unknown_paywall)
  return openSite(c, home)
}

/**
 * The site at its home. Of a session that is over the browser is told to forget it, and the visitor is a guest again.
 *
 * @throws ApiError if there is no such paywall, or it cannot be read
 */
export async function openSite(c: PagesContext, home: Home): Promise<Site> {
  const token = await readToken(c, home)
  const structure = await readStructure(c, home, token)
  if (!isRefused(structure)) return siteAt(c, home, structure, token)
  if (!token || structure.status !== 401) throw failure(structure)

  // The token is not good any more, though its time is not over: its user was merged, say. The session may know a better one.
  const next = await nextToken(c, home)
  const again = await readStructure(c, home, next)
  if (!isRefused(again)) return siteAt(c, home, again, next)
  if (again.status !== 401) throw failure(again)
  dropSession(c, home)
  const forGuests = await readStructure(c, home, null)
  if (isRefused(forGuests)) throw failure(forGuests)
  return siteAt(c, home, forGuests, null)
}

const readStructure = (c: PagesContext, { paywallId }: Home, token: string | null) =>
  callApi(c, 'BOOTSTRAP', Structure, { path: `/api/v1/paywall/${paywallId}/bootstrap`, token })

async function siteAt(c: PagesContext, home: Home, structure: Structure, token: string | null): Promise<Site> {
  const offered = Object.keys(structure.locales)
  const chosen = c.req.query('locale')
  const locale = localeFor(offered.length > 0 ? offered : Object.keys(TEXTS), chosen, c.req.header('accept-language'))
  const images = await listImages(structure)
  return {
    ...home,
    structure,
    locale,
    tag: parseTag(locale),
    texts: textsFor(locale),
    token,
    user: structure.user ?? null,
    text(key) {
      const text = structure.locales[locale]?.[key]
      return typeof text === 'string' ? text : key
    },
    href: (path, query = {}) => pathIn(home, path) + toQuery({ ...(chosen !== undefined && { locale }), ...query }),
    hereIn: (other) => c.req.path + toQuery({ ...c.req.query(), locale: other }),
    image: (src) => pathIn(home, `/image/${images.get(src)}`),
  }
}

/** The path of one of the paywall's pages. */
export function pathIn({ path: home }: Home, path: string): string {
  if (home === '/') return path
  return path === '/' ? home : home + path
}

function toQuery(fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString()
  return query && `?${query}`
}

/** What to throw where the visitor can be shown no more than that something failed. */
export const failure = ({ status, error, retryAfter }: Refused): ApiError =>
  new ApiError(status as 500, error, error, retryAfter === null ? {} : { retryAfter })
