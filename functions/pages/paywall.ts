// The paywall page, the redirect to checkout, and the thanks page.
import { ApiError } from '../../lib/http/errors.ts'
import type { Offer } from '../../lib/paywall/offer.ts'
import { openCheckout } from './buy.ts'
import { isRefused, type PagesContext } from './call-api.ts'
import { applyCode, forgetCode, withCode } from './code.ts'
import { ACCOUNT_PATH, PAYWALL_PATH } from './contract.ts'
import { dealField, dealFor, dealText, firstAmount } from './deal.ts'
import { readForm } from './form.ts'
import { formatTotal } from './formats.ts'
import { messageFor } from './problem.ts'
import { findEndedSubscriptions, replaceableIds } from './sale.ts'
import { showPage } from './show.ts'
import { findSite, findSiteBase, openSite, type Site } from './site.ts'
import type { Price } from './structure.ts'
import { countUnits, parseUnits, shownUnitsField, unitsField, withUnits } from './units.ts'
import { leavingPage } from './views/leaving.tsx'
import { paywallPage } from './views/paywall.tsx'
import { thanksPage } from './views/thanks.tsx'

/** On a host that belongs to no paywall, serves the service's own front page. */
export async function showPaywall(c: PagesContext): Promise<Response> {
  const base = await findSiteBase(c).catch(unlessService(c))
  if (!base) {
    const front = await c.env.DOCS.fetch(c.req.raw)
    return new Response(front.body, front)
  }
  const query = (name: string) => c.req.query(name) ?? ''
  const site = withUnits(await withCode(c, await openSite(c, base)), query)
  const { bought, interval, price: chosen } = c.req.query()
  const news = bought === 'nothing' ? site.texts.notBought : undefined
  return showPage(c, site, paywallPage(site, { key: crypto.randomUUID(), interval, chosen, news }))
}

/** If the paywall of a host cannot be looked up, the service's own origin still has none. */
const unlessService = (c: PagesContext) => (error: unknown) => {
  if (error instanceof ApiError && new URL(c.req.url).origin === c.env.SERVICE_ORIGIN) return null
  throw error
}

/**
 * Redirects to checkout, or shows the same choice again with the reason. The other buttons of the form are those of a code and of the
 * total.
 */
export async function buy(c: PagesContext): Promise<Response> {
  const form = await readForm(c)
  const site = withUnits(await withCode(c, await findSite(c)), form)
  const chosen = form('sell') || form('price')
  const again: Again = (problem, status, shown = site) =>
    showPage(c, shown, paywallPage(shown, { key: crypto.randomUUID(), chosen, problem }), status)
  if (form('action') === 'units') return again(undefined, 200)
  if (form('action') === 'remove-code') return removeCode(c, site, chosen)
  // Also if the button that buys was pressed: the visitor has not seen the prices with the code yet.
  const typed = form('code').trim()
  if (form('action') === 'code' || typed !== '') return useCode(c, site, { typed, chosen, key: form('key') }, again)

  if (!chosen) return again(site.texts.choosePrice, 400)
  const price = site.structure.prices.find(({ id }) => id === chosen)
  if (!price) return again(site.texts.priceGone, 404)
  if (price.per_unit && form(unitsField(price)) !== '' && parseUnits(form(unitsField(price))) === null)
    return again(site.texts.wrongUnits, 400)
  if (price.per_unit && form(shownUnitsField(price)) !== String(countUnits(site, price)))
    return again(site.texts.totalShown, 409)
  if (form(dealField(price)) !== dealText(site, price)) return again(site.texts.offerChanged, 409)
  return order(c, site, price, form, again)
}

type Again = (problem: string | undefined, status: number, shown?: Site) => Promise<Response>

async function order(
  c: PagesContext,
  site: Site,
  price: Price,
  form: (name: string) => string,
  again: Again,
): Promise<Response> {
  // A form from before a subscription began does not name it, so it does not end it either: start-checkout refuses.
  const isSwitch = findEndedSubscriptions(site, price).length > 0 && form('ends') === replaceableIds(site)
  const offer = dealFor(site, price)?.offer
  const code = offer && offer === site.code?.offer ? site.code.text : undefined
  const opened = await openCheckout(c, site, {
    priceId: price.id,
    key: form('key'),
    isSwitch,
    offer: offer?.id,
    code,
    quantity: countUnits(site, price),
  })
  if (!isRefused(opened)) return showPage(c, site, leavingPage(site, opened.checkoutUrl, site.texts.leavingToCheckout))
  // Some processors require the buyer's e-mail address.
  if (opened.error === 'Missing required parameters: email')
    return c.redirect(site.href(ACCOUNT_PATH, { buy: price.id }), 303)
  if (offer && opened.error === 'invalid_offer') {
    if (code !== undefined) forgetCode(c, site)
    const { reason = '' } = opened
    // The code was found, so what is unknown by now is the offer.
    const problem = messageFor({ ...opened, reason: reason === 'unknown' ? 'ended' : reason }, site.texts)
    const shown = withoutOffer(site, offer)
    const { amount } = firstAmount(shown, price)
    return again(site.texts.offerGone(problem, formatTotal(price, shown, amount)), opened.status, shown)
  }
  return again(messageFor(opened, site.texts), opened.status)
}

/** The site as it is for a visitor who does not get this offer. */
function withoutOffer({ code, ...site }: Site, { id }: Offer): Site {
  const offers = site.offers.filter((offer) => offer.id !== id)
  return { ...site, offers, ...(code && code.offer?.id !== id && { code }) }
}

interface Entered {
  typed: string
  /** The id of the price that is chosen. */
  chosen: string
  key: string
}

/** Shows the prices with a code, or why it is not valid. */
async function useCode(c: PagesContext, site: Site, { typed, chosen, key }: Entered, again: Again): Promise<Response> {
  const refused = await applyCode(c, site, typed, key)
  if (!refused) return c.redirect(site.href(PAYWALL_PATH, choiceQuery(site, chosen)), 303)
  const code = { text: typed, problem: messageFor(refused, site.texts) }
  return again(undefined, refused.status, { ...site, code })
}

function removeCode(c: PagesContext, site: Site, chosen: string): Response {
  forgetCode(c, site)
  return c.redirect(site.href(PAYWALL_PATH, choiceQuery(site, chosen)), 303)
}

/** The query that shows the page with the same choice. `chosen`: the id of a price; empty: none. */
function choiceQuery({ units }: Site, chosen: string): Record<string, string> {
  const entered = [...(units ?? [])].map(([id, count]) => [unitsField({ id }), String(count)])
  return { ...(chosen && { price: chosen }), ...Object.fromEntries(entered) }
}

/** Shown to buyers who return after paying. */
export async function showThanks(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  return showPage(c, site, thanksPage(site, c.req.query('after')))
}
