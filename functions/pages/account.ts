// The account page: purchases and balances, signing in and out, restoring purchases.
import * as z from 'zod'
import { callApi, isRefused, type PagesContext } from './call-api.ts'
import { ACCOUNT_PATH, PAYWALL_PATH } from './contract.ts'
import { readAction, readForm } from './form.ts'
import { justCancelled } from './just-cancelled.ts'
import { PageOfProcessor } from './page-of-processor.ts'
import { messageFor } from './problem.ts'
import { endSession, readSession } from './session.ts'
import { showPage } from './show.ts'
import { showAccountPage } from './show-account.ts'
import { enterCode, FIRST_STEP, mailCode, type SignInStep } from './sign-in.ts'
import { findSite, findSiteBase, type Site } from './site.ts'
import { leavingPage } from './views/leaving.tsx'
import { restorePage } from './views/restore.tsx'

export async function showAccount(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const { restored, buy } = c.req.query()
  const shown = { step: FIRST_STEP, cancelled: justCancelled(c, site), buy, isRestored: restored !== undefined }
  return showAccountPage(c, site, shown)
}

export async function useAccount(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const form = await readForm(c)
  const buy = c.req.query('buy')
  const show = (step: SignInStep) => showAccountPage(c, site, { step, buy }, step.status)
  switch (readAction(form, ['mail', 'enter', 'sign-out', 'portal'])) {
    case 'mail':
      return show(await mailCode(c, site, form))
    case 'enter': {
      const step = await enterCode(c, site, form)
      if (step) return show(step)
      return c.redirect(buy ? site.href(PAYWALL_PATH, { price: buy }) : site.href(ACCOUNT_PATH), 303)
    }
    case 'sign-out':
      await endSession(c, site)
      return c.redirect(site.href(PAYWALL_PATH), 303)
    case 'portal':
      return openPortal(c, site)
  }
}

const Portal = z.object({ url: PageOfProcessor })

/** A visitor whose session has ended is sent to sign in first. */
async function openPortal(c: PagesContext, site: Site): Promise<Response> {
  if (!site.token) return c.redirect(site.href(ACCOUNT_PATH), 303)
  const path = `/api/v1/paywall/${site.paywallId}/get-customer-portal`
  const portal = await callApi(c, 'GET_CUSTOMER_PORTAL', Portal, { path, token: site.token, body: {} })
  if (!isRefused(portal)) return showPage(c, site, leavingPage(site, portal.url, site.texts.leavingToPortal))
  const problem = messageFor(portal, site.texts)
  return showAccountPage(c, site, { step: FIRST_STEP, problem }, portal.status)
}

export async function showRestore(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  return showPage(c, site, restorePage(site, FIRST_STEP))
}

/** Signs in like the account page, and restores the purchases made with the address. */
export async function restore(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const form = await readForm(c)
  const action = readAction(form, ['mail', 'enter'])
  const step = action === 'enter' ? await enterCode(c, site, form) : await mailCode(c, site, form)
  if (!step) return c.redirect(site.href(ACCOUNT_PATH, { restored: 'yes' }), 303)
  return showPage(c, site, restorePage(site, step), step.status, step.captcha?.origin)
}

/** Returns the access token, valid for an hour at most, to a page's script. The refresh token stays in an HttpOnly cookie. */
export async function giveToken(c: PagesContext): Promise<Response> {
  const base = await findSiteBase(c)
  return c.json({ access_token: base && (await readSession(c, base)).token })
}
