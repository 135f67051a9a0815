// Remembers in a cookie which purchase a visitor has just cancelled here, because the processor's webhook may still be on its way.
// The page's URL alone is not trusted: anybody can make a link that claims a subscription is cancelled.
import { getCookie, setCookie } from 'hono/cookie'
import type { PagesContext } from './call-api.ts'
import { cookieOptions } from './session.ts'
import type { Site } from './site.ts'

const CANCELLED = 'paywall_cancelled'
/** How long the processor's webhook may take, in seconds. */
const REMEMBERED_SECONDS = 10 * 60

export function rememberCancelled(c: PagesContext, site: Site, id: string): void {
  setCookie(c, CANCELLED, id, { ...cookieOptions(c, site), maxAge: REMEMBERED_SECONDS })
}

/** The id of the purchase in the `cancelled` query parameter, if it is the visitor's and really was cancelled. */
export function justCancelled(c: PagesContext, site: Site): string | undefined {
  const named = c.req.query('cancelled')
  const purchase = site.user?.purchases.find(({ id }) => id === named)
  if (!purchase) return undefined
  const remembered = getCookie(c, CANCELLED, cookieOptions(c, site).prefix)
  return purchase.cancel_at_period_end || remembered === purchase.id ? purchase.id : undefined
}
