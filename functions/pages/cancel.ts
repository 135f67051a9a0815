// Cancels a subscription at the end of its period: asks for the reason, and shows the owner's offer to stay first.
import * as z from 'zod'
import { CANCELLATION_REASON_LENGTH } from '../../lib/http/input-limits.ts'
import { openCheckout } from './buy.ts'
import { callApi, isRefused, type PagesContext, type Refused } from './call-api.ts'
import { ACCOUNT_PATH } from './contract.ts'
import { dealToStay, stayText } from './deal.ts'
import { readAction, readForm } from './form.ts'
import { rememberCancelled } from './just-cancelled.ts'
import { messageFor } from './problem.ts'
import { showPage } from './show.ts'
import { findSite, type Site } from './site.ts'
import type { Purchase } from './structure.ts'
import { EN } from './texts/en.ts'
import { cancelPage, isReason, offerBeforeCancel, stayedPage } from './views/cancel.tsx'
import { leavingPage } from './views/leaving.tsx'
import { renews } from './views/purchase.tsx'

export async function showCancel(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const purchase = cancellable(site, c.req.query('purchase'))
  if (!purchase) return c.redirect(site.href(ACCOUNT_PATH), 303)
  return showPage(c, site, cancelPage(site, { purchase, key: crypto.randomUUID(), reason: '', comment: '' }))
}

/** The visitor's purchase with this id if it can be cancelled. An anonymous user has to sign in first. */
function cancellable(site: Site, id: string | undefined): Purchase | undefined {
  const { user } = site
  return user?.email ? user.purchases.find((purchase) => purchase.id === id && renews(site, purchase)) : undefined
}

export async function cancel(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const form = await readForm(c)
  const action = readAction(form, ['switch', 'stay', 'cancel'])
  const id = form('purchase')
  const reason = form('reason')
  const comment = form('comment').trim()
  const purchase = cancellable(site, id)
  if (!purchase) return c.redirect(site.href(ACCOUNT_PATH), 303)
  const again = (problem: string, status: number) =>
    showPage(c, site, cancelPage(site, { purchase, key: crypto.randomUUID(), reason, comment, problem }), status)

  if (action === 'switch') {
    const offer = offerBeforeCancel(site)
    if (!offer) return c.redirect(site.href(ACCOUNT_PATH), 303)
    const opened = await openCheckout(c, site, { priceId: offer.price.id, key: form('key'), isSwitch: true })
    if (isRefused(opened)) return again(messageFor(opened, site.texts), opened.status)
    return showPage(c, site, leavingPage(site, opened.checkoutUrl, site.texts.leavingToCheckout))
  }
  if (action === 'stay') return stay(c, site, purchase, form('offer'), again)
  if (!isReason(reason)) return again(site.texts.chooseReason, 400)
  const refused = await requestCancel(c, site, id, [EN.reasons[reason], comment].filter(Boolean).join(': '))
  if (refused) return again(messageFor(refused, site.texts), refused.status)
  rememberCancelled(c, site, id)
  return c.redirect(site.href(ACCOUNT_PATH, { cancelled: id }), 303)
}

/** Keeps the subscription at the offer that the page has shown: nothing is cancelled. */
async function stay(
  c: PagesContext,
  site: Site,
  purchase: Purchase,
  shown: string,
  again: (problem: string, status: number) => Promise<Response>,
): Promise<Response> {
  const deal = dealToStay(site, purchase)
  if (!deal || shown !== stayText(deal)) return again(site.texts.offerChanged, 409)
  const reply = await callApi(c, 'CANCEL_SUBSCRIPTION', z.object({ accepted: z.literal(true) }), {
    path: `/api/v1/paywall/${site.paywallId}/stay-offer`,
    token: site.token,
    body: { subscriptionId: purchase.id, offer: deal.offer.id },
  })
  return isRefused(reply)
    ? again(messageFor(reply, site.texts), reply.status)
    : showPage(c, site, stayedPage(site, { purchase, deal }))
}

/** Returns null once cancelled. The owner gets the reason in English, and the visitor's comment unchanged. */
async function requestCancel(
  c: PagesContext,
  site: Site,
  subscriptionId: string,
  reason: string,
): Promise<Refused | null> {
  const reply = await callApi(c, 'CANCEL_SUBSCRIPTION', z.object({}), {
    path: '/api/paywall/cancel-subscription',
    token: site.token,
    headers: { 'X-Paywall-Id': site.paywallId },
    body: { subscriptionId, cancellationReason: reason.slice(0, CANCELLATION_REASON_LENGTH) },
  })
  return isRefused(reply) ? reply : null
}
