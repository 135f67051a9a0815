// The code of an offer that a visitor has entered. A cookie keeps it, so that prices are shown with it until it is removed or used. A guest
// who enters one becomes an anonymous user, as by buying: attempts are counted by user and network.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { OfferByCode } from '../../lib/paywall/offer.ts'
import { ensureToken } from './buy.ts'
import { callApi, isRefused, type PagesContext, type Refused } from './call-api.ts'
import { messageFor } from './problem.ts'
import { cookieOptions, type SiteBase } from './session.ts'
import { type Site, textIn } from './site.ts'

const CODE = 'paywall_code'
const KEPT_SECONDS = 24 * 60 * 60

/** The site with the offer of the code that this browser keeps. A code that has become invalid is shown with the reason once. */
export async function withCode(c: PagesContext, site: Site): Promise<Site> {
  const text = getCookie(c, CODE, cookieOptions(c, site).prefix)
  if (!text || !site.token) return site
  const offer = await findOffer(c, site, site.token, text)
  if (!isRefused(offer)) return { ...withTexts(site, offer.texts), code: { text, offer } }
  if (offer.error === 'invalid_offer') forgetCode(c, site)
  return { ...site, code: { text, problem: messageFor(offer, site.texts) } }
}

/** The site with the texts of an offer, which bootstrap leaves out if the offer needs its code. */
function withTexts(site: Site, locales: OfferByCode['texts']): Site {
  const findText = (key: string) => textIn(locales, site.locale, key) ?? site.findText(key)
  return { ...site, findText, text: (key) => findText(key) ?? key }
}

/** Keeps a code if the visitor gets its offer. Null, or why not. `key`: the form's own id. */
export async function applyCode(c: PagesContext, site: Site, text: string, key: string): Promise<Refused | null> {
  const session = await ensureToken(c, site, key)
  if (isRefused(session)) return session
  const offer = await findOffer(c, site, session.token, text)
  if (isRefused(offer)) return offer
  setCookie(c, CODE, text, { ...cookieOptions(c, site), maxAge: KEPT_SECONDS })
  return null
}

export const forgetCode = (c: PagesContext, base: SiteBase): void => {
  deleteCookie(c, CODE, cookieOptions(c, base))
}

const findOffer = (c: PagesContext, site: Site, token: string, code: string) =>
  callApi(c, 'START_CHECKOUT', OfferByCode, {
    path: `/api/v1/paywall/${site.paywallId}/find-offer-by-code`,
    token,
    body: { code },
  })
