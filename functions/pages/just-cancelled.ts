// Which purchase a visitor has just cancelled here. The processor's word of it may be on its way, so the browser remembers it for the
// page that says so. The address alone is not believed: anybody can write a link that says that a subscription is cancelled.
import { getCookie, setCookie } from 'hono/cookie'
import type { PagesContext } from './call-api.ts'
import { cookieOptions } from './session.ts'
import type { Site } from './site.ts'

const CANCELLED = 'paywall_cancelled'
/** For how long the processor's word may be on its way, in seconds. */
const REMEMBERED_SECONDS = 10 * 60

/** Remembers the id of a purchase that was cancelled. */
export function rememberCancelled(c: PagesContext, site: Site, id: string): void {
  setCookie(c, CANCELLED, id, { ...cookieOptions(c, site), maxAge: REMEMBERED_SECONDS })
}

/** The id of the purchase that the page's address calls cancelled, if it is one of the visitor's, and is. */
export function justCancelled(c: PagesContext, site: Site): string | undefined {
  const named = c.req.query('cancelled')
  const purchase = site.user?.purchases.find(({ id }) => id === named)
  if (!purchase) return undefined
  const remembered = getCookie(c, CANCELLED, cookieOptions(c, site).prefix)
  return purchase.cancel_at_period_end || remembered === purchase.id ? purchase.id : undefined
}
