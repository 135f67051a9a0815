import { html } from 'hono/html'
import { DEFINITIONS } from '../../../../lib/processors/definitions.ts'
import { type ActName, actLabels, possibleActs } from '../act-names.ts'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { formatMoney, time } from '../format.ts'
import { formatCount, listPage, pager, searchForm } from '../lists.ts'
import { countPurchases, findPurchases, type PurchaseRow } from '../purchases.ts'

const NONE = 'No purchases yet. Press “Buy” to make one; it gets buttons here for what can happen at its processor.'

/** The purchases, newest first, each with buttons for what can happen to it at its processor. */
export async function purchasesSection(
  { world, files }: HomeContext,
  { paywall }: ShownPaywall,
  query: URLSearchParams,
) {
  const text = query.get('purchases') ?? ''
  const total = await countPurchases(world.database, paywall.id, text)
  const page = listPage(query, 'purchases', total)
  const purchases = await findPurchases(world.database, paywall.id, text, page.offset)
  return html`<section id="purchases" class="wide" aria-labelledby="purchases-heading">
    <h2 id="purchases-heading">Subscriptions and purchases: ${formatCount(total)}</h2>
    ${searchForm(query, 'purchases', 'E-mail or id')}
    ${
      purchases.length > 0
        ? purchases.map((purchase) => entry(purchase, possibleActs({ world, files }, purchase)))
        : html`<p class="quiet">${text === '' ? NONE : 'No purchases match.'}</p>`
    }
    ${pager(query, 'purchases', page)}
  </section>`
}

function entry(purchase: PurchaseRow, acts: ActName[]) {
  const { id, paywallId, userId, user, label, status, acquiring, amount, currency, processorId } = purchase
  const name = `${label} of ${user}`
  return html`<article class="purchase" data-key="${id}">
      <p><b>${label}</b> of <a href="/user?paywall=${paywallId}&amp;id=${userId}">${user}</a>: <b>${status}</b>${renewalText(purchase)}.
        <span class="quiet">${formatMoney(amount, currency)} at ${DEFINITIONS[acquiring].title}, ${processorId}</span></p>
      ${
        acts.length > 0
          ? html`<form method="post" action="/act" class="buttons" data-stay>
        <input type="hidden" name="paywall" value="${paywallId}">
        <input type="hidden" name="purchase" value="${id}">
        ${acts.map((act) => html`<button name="act" value="${act}" aria-label="${actLabels[act]}: ${name}">${actLabels[act]}</button>`)}
        <label>Webhooks <select name="webhooks" data-keep>
          <option value="arrive">arrive</option>
          <option value="lost">are lost</option>
          <option value="twice">arrive twice</option>
          <option value="reversed">arrive in reverse order</option>
        </select></label>
      </form>`
          : ''
      }
    </article>`
}

function renewalText({ periodEnd, cancelAtPeriodEnd, status, interval }: PurchaseRow) {
  if (interval === null || periodEnd === null || status === 'canceled') return ''
  return html`, ${cancelAtPeriodEnd ? 'ends' : 'renews'} ${time(periodEnd)}`
}
