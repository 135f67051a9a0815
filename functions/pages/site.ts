// The paywall site that a request is about: the paywall, the base path of its pages, and the visitor's language and session.
import * as z from 'zod'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { logPaywall } from '../../lib/http/paywall-target.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import type { Offer } from '../../lib/paywall/offer.ts'
import { callApi, failure, isRefused, type PagesContext } from './call-api.ts'
import { frontPath, isEmbeddedPath } from './contract.ts'
import { parseEmbedder, rememberedEmbedder } from './embedder.ts'
import { listImages } from './images.ts'
import { defaultLocale, parseTag, wantedLocale } from './locale.ts'
import { dropSession, nextToken, readGivenToken, readSession, type Session, type SiteBase } from './session.ts'
import { isDiscountOffer, Structure, type User } from './structure.ts'
import type { Texts } from './texts/en.ts'
import { TEXTS, textsFor } from './texts/texts.ts'

export interface Site extends SiteBase {
  structure: Structure
  /** The key in the paywall's `locales` whose texts are shown. */
  locale: string
  /** The page's language as a BCP 47 tag. */
  tag: string
  /** The language to ask the processor's page for; undefined if the site has none of the visitor's languages: the processor then chooses. */
  pageLocale: string | undefined
  /** The pages' own texts. */
  texts: Texts
  /** The visitor's access token; null if nobody is signed in. */
  token: string | null
  /** The owner's page that shows this one in a dialog; null outside of a dialog. */
  embedder: URL | null
  /** Whether the session ended that the owner's page has given to the dialog. Its script gets another token for it. */
  isGivenOver: boolean
  /** Why the visitor's session has ended, if this request has found that. */
  sessionEnd: Session['ended']
  /** The visitor's state on the paywall; null for a guest or a user who is not a member. */
  user: User | null
  /** The offers at which prices are sold to everybody here and now. */
  offers: Offer[]
  /** The offers to subscribers who are about to cancel. */
  offersToStay: Offer[]
  /** The code of an offer that the visitor has entered. Only the page that sells looks for it. */
  code?: EnteredCode
  /** How many units of a price the visitor has entered, by its id. Only the page that sells asks for them. */
  units?: ReadonlyMap<string, number>
  /** An owner's text by its key; undefined if the locale has none of that name. */
  findText(key: string): string | undefined
  /** An owner's text by its key, or else the key itself. */
  text(key: string): string
  /** The URL of one of the paywall's pages, in the language that the visitor has chosen. */
  href(path: string, query?: Record<string, string>): string
  /** The absolute URL of a path on this origin. */
  absolute(href: string): string
  /** The URL of the current page in another language. */
  hereIn(locale: string): string
  /** The URL at which this origin serves an image named in the paywall's file. */
  image(src: string): string
}

/** The code that the visitor has entered: with its offer, or with the reason why the visitor does not get it. */
export interface EnteredCode {
  text: string
  offer?: Offer
  problem?: string
}

const errors = defineErrors(paywallErrors)

const Found = z.object({ id: z.string() })

/** Finds the paywall of a request by its path or its host; null if the host belongs to no paywall. */
export async function findSiteBase(c: PagesContext): Promise<SiteBase | null> {
  const named = c.req.param('id')
  const path = frontPath(c.req.path)
  if (named !== undefined) return { paywallId: named, path }
  const found = await callApi(c, 'BOOTSTRAP', Found, { path: '/api/v1/paywall' })
  if (isRefused(found) && found.status === 404) return null
  if (isRefused(found)) throw failure(found)
  logPaywall(found.id)
  return { paywallId: found.id, path }
}

/** Finds the paywall of a request and reads its public structure. @throws ApiError as `openSite` */
export async function openSiteBase(c: PagesContext): Promise<{ base: SiteBase; structure: Structure }> {
  const base = await findSiteBase(c)
  if (!base) throw apiError(errors.unknown_paywall)
  const structure = await readStructure(c, base, null)
  if (isRefused(structure)) throw failure(structure)
  return { base, structure }
}

/** Opens the site of a request. @throws ApiError if there is none, or it cannot be read */
export async function findSite(c: PagesContext): Promise<Site> {
  const base = await findSiteBase(c)
  if (!base) throw apiError(errors.unknown_paywall)
  return openSite(c, base)
}

/**
 * Opens the site at its base. Clears the cookies of a session that has ended; the visitor is then a guest.
 *
 * @throws ApiError if there is no such paywall, or it cannot be read
 */
export async function openSite(c: PagesContext, base: SiteBase): Promise<Site> {
  const session = await readSession(c, base)
  const { token } = session
  const structure = await readStructure(c, base, token)
  if (!isRefused(structure)) return siteAt(c, base, structure, session)
  if (!token || structure.status !== 401) throw failure(structure)
  if (token === readGivenToken(c, base)) return openForGuest(c, base, { ended: null, isGivenOver: true })

  // The token was refused before it expired, for example because its user was merged. Refreshing may give a valid one.
  const next = await nextToken(c, base)
  const again = await readStructure(c, base, next.token)
  if (!isRefused(again)) return siteAt(c, base, again, next)
  if (again.status !== 401) throw failure(again)
  dropSession(c, base)
  return openForGuest(c, base, { ended: 'expired', isGivenOver: false })
}

async function openForGuest(
  c: PagesContext,
  base: SiteBase,
  over: Pick<Opened, 'ended' | 'isGivenOver'>,
): Promise<Site> {
  const structure = await readStructure(c, base, null)
  if (isRefused(structure)) throw failure(structure)
  return siteAt(c, base, structure, { token: null, ...over })
}

const readStructure = (c: PagesContext, { paywallId }: SiteBase, token: string | null) =>
  callApi(c, 'BOOTSTRAP', Structure, { path: `/api/v1/paywall/${paywallId}/bootstrap`, token })

interface Opened extends Session {
  isGivenOver?: boolean
}

async function siteAt(
  c: PagesContext,
  base: SiteBase,
  structure: Structure,
  { token, ended, isGivenOver = false }: Opened,
): Promise<Site> {
  const written = Object.keys(structure.locales)
  const offered = written.length > 0 ? written : Object.keys(TEXTS)
  const chosen = c.req.query('locale')
  const wanted = wantedLocale(offered, chosen, c.req.header('accept-language'))
  const locale = wanted ?? defaultLocale(offered)
  const images = await listImages(structure)
  const findText = (key: string) => textIn(structure.locales, locale, key)
  return {
    ...base,
    structure,
    locale,
    tag: parseTag(locale),
    pageLocale: wanted,
    texts: textsFor(locale),
    token,
    embedder: isEmbeddedPath(base.path) ? parseEmbedder(structure, rememberedEmbedder(c)?.href) : null,
    isGivenOver,
    sessionEnd: ended,
    user: structure.user ?? null,
    offers: structure.offers.filter(isDiscountOffer).filter(({ show }) => show === 'paywall'),
    offersToStay: structure.offers.filter(isDiscountOffer).filter(({ show }) => show === 'cancel'),
    findText,
    text: (key) => findText(key) ?? key,
    href: (path, query = {}) => pathIn(base, path) + toQuery({ ...(chosen !== undefined && { locale }), ...query }),
    absolute: (href) => new URL(href, c.req.url).href,
    hereIn: (other) => c.req.path + toQuery({ ...c.req.query(), locale: other }),
    image: (src) => pathIn(base, `/image/${images.get(src)}`),
  }
}

/** A text of `locales` by its key; undefined if the locale has none of that name. */
export function textIn(locales: Structure['locales'], locale: string, key: string): string | undefined {
  const text = locales[locale]?.[key]
  return typeof text === 'string' ? text : undefined
}

/** The path of one of the paywall's pages. */
export function pathIn({ path: base }: SiteBase, path: string): string {
  if (base === '/') return path
  return path === '/' ? base : base + path
}

function toQuery(fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString()
  return query && `?${query}`
}
