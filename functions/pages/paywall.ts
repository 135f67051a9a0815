// The paywall page, the redirect to checkout, and the thanks page.
import { ApiError } from '../../lib/http/errors.ts'
import { openCheckout } from './buy.ts'
import { isRefused, type PagesContext } from './call-api.ts'
import { ACCOUNT_PATH } from './contract.ts'
import { readForm } from './form.ts'
import { messageFor } from './problem.ts'
import { replaceableIds, replacedBy } from './sale.ts'
import { showPage } from './show.ts'
import { findHome, findSite, openSite } from './site.ts'
import { leavingPage } from './views/leaving.tsx'
import { paywallPage } from './views/paywall.tsx'
import { thanksPage } from './views/thanks.tsx'

/** On a host that belongs to no paywall, serves the service's own front page. */
export async function showPaywall(c: PagesContext): Promise<Response> {
  const home = await findHome(c).catch(unlessService(c))
  if (!home) {
    const front = await c.env.DOCS.fetch(c.req.raw)
    return new Response(front.body, front)
  }
  const site = await openSite(c, home)
  const { bought, interval, price: chosen } = c.req.query()
  const news = bought === 'nothing' ? site.texts.notBought : undefined
  return showPage(c, site, paywallPage(site, { key: crypto.randomUUID(), interval, chosen, news }))
}

/** If the paywall of a host cannot be looked up, the service's own origin still has none. */
const unlessService = (c: PagesContext) => (error: unknown) => {
  if (error instanceof ApiError && new URL(c.req.url).origin === c.env.SERVICE_ORIGIN) return null
  throw error
}

/** Redirects to checkout, or shows the same choice again with the reason. */
export async function buy(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const form = await readForm(c)
  const chosen = form('sell') || form('price')
  const again = (problem: string, status: number) =>
    showPage(c, site, paywallPage(site, { key: crypto.randomUUID(), chosen, problem }), status)
  if (!chosen) return again(site.texts.choosePrice, 400)
  const price = site.structure.prices.find(({ id }) => id === chosen)
  // A form from before a subscription began does not name it, so it does not end it either: start-checkout refuses.
  const isSwitch = price !== undefined && replacedBy(site, price).length > 0 && form('ends') === replaceableIds(site)
  const opened = await openCheckout(c, site, { priceId: chosen, key: form('key'), isSwitch })
  if (!isRefused(opened)) return showPage(c, site, leavingPage(site, opened.checkoutUrl, site.texts.leavingToCheckout))
  // Some processors require the buyer's e-mail address.
  if (opened.error === 'Missing required parameters: email')
    return c.redirect(site.href(ACCOUNT_PATH, { buy: chosen }), 303)
  return again(messageFor(opened, site.texts), opened.status)
}

/** Shown to buyers who return after paying. */
export async function showThanks(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  return showPage(c, site, thanksPage(site))
}
