// Changes the plan of a subscription: shows what that costs now and later, and charges it once the visitor confirms.
import { isRefused, type PagesContext, type Refused } from './call-api.ts'
import { PAYWALL_PATH } from './contract.ts'
import { readForm } from './form.ts'
import { type Change, changePlan, previewChange } from './plan-change.ts'
import { messageFor } from './problem.ts'
import { changeableTo } from './sale.ts'
import { showPage } from './show.ts'
import { showAccountPage } from './show-account.ts'
import { FIRST_STEP } from './sign-in.ts'
import { findSite, type Site } from './site.ts'
import { parseUnits } from './units.ts'
import { changedPage, changePage, unitsPage } from './views/change.tsx'
import { leavingPage } from './views/leaving.tsx'

export async function showChange(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const wanted = findChange(site, c.req.query('price'), c.req.query('quantity'))
  if (!wanted) return c.redirect(site.href(PAYWALL_PATH), 303)
  return changesUnits(wanted) ? showPage(c, site, unitsPage(site, wanted)) : showPreview(c, site, wanted)
}

function findChange(site: Site, priceId: string | undefined, units = ''): Change | null {
  const price = site.structure.prices.find(({ id }) => id === priceId)
  const purchase = price && changeableTo(site, price)
  if (!purchase) return null
  const quantity = (price.per_unit ? parseUnits(units) : null) ?? undefined
  const keepsPlan = purchase.price_id === price.id && (quantity ?? purchase.quantity) === purchase.quantity
  return { purchase, price, keepsPlan, quantity }
}

/** Whether the visitor wants another number of units of the same price, and has not entered it yet. */
const changesUnits = ({ purchase, price, keepsPlan }: Change): boolean =>
  keepsPlan && price.per_unit && purchase.scheduled_change === null

/** Shows what the change costs, or in the account why it is not possible. `refused`: why the change before was refused. */
async function showPreview(c: PagesContext, site: Site, wanted: Change, refused?: Refused): Promise<Response> {
  const preview = await previewChange(c, site, wanted)
  if (refused && isRefused(preview) && isMade(preview)) return confirm(c, site, wanted, { when: 'now' })
  if (isRefused(preview)) return showInAccount(c, site, messageFor(preview, site.texts), preview.status)
  const problem = refused && messageFor(refused, site.texts)
  const page = changePage(site, { ...wanted, preview, key: crypto.randomUUID(), problem })
  return showPage(c, site, page, refused?.status ?? 200)
}

export async function change(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const form = await readForm(c)
  const found = findChange(site, form('price'), form('quantity'))
  if (!found) return showInAccount(c, site, whyNot(site, form('price')), 409)
  // A form that is sent again may find the change made.
  const wanted = { ...found, keepsPlan: form('keeps') !== '' }
  const changed = await changePlan(c, site, wanted, { quote: form('quote'), key: form('key') })
  if (isRefused(changed)) {
    return isMade(changed) ? confirm(c, site, wanted, { when: 'now' }) : showPreview(c, site, wanted, changed)
  }
  const { checkoutUrl } = changed
  if (checkoutUrl) return showPage(c, site, leavingPage(site, checkoutUrl, site.texts.leavingToCheckout))
  return confirm(c, site, wanted, changed)
}

/** Whether the change was made before, by a submit whose response was an error because the processor's was lost. */
const isMade = ({ error }: Refused): boolean => error === 'price_unchanged'

const confirm = (c: PagesContext, site: Site, wanted: Change, { when, pending = false }: Confirmed) =>
  showPage(c, site, changedPage(site, { ...wanted, when, pending }))

interface Confirmed {
  when: 'now' | 'period_end'
  pending?: boolean
}

/** Why a change that the visitor was offered is not possible any more. A visitor who has signed out sees the form to sign in. */
function whyNot({ structure, texts, user }: Site, priceId: string): string | undefined {
  if (!user?.email) return undefined
  return structure.prices.some(({ id }) => id === priceId) ? texts.fixedPlan : texts.priceGone
}

const showInAccount = (c: PagesContext, site: Site, problem: string | undefined, status: number) =>
  showAccountPage(c, site, { step: FIRST_STEP, problem }, status)
