import type { PagesContext } from './call-api.ts'
import { listPayments } from './payments.ts'
import { showPage } from './show.ts'
import type { Site } from './site.ts'
import { accountPage, type Shown } from './views/account.tsx'

/** The account page with the visitor's latest payments. If these cannot be read, it shows everything else. */
export async function showAccountPage(c: PagesContext, site: Site, shown: Shown, status?: number): Promise<Response> {
  const payments = site.user && site.user.purchases.length > 0 ? await listPayments(c, site) : null
  return showPage(c, site, accountPage(site, { ...shown, payments }), status, shown.step.captcha?.origin)
}
