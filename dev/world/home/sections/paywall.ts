import { html } from 'hono/html'
import type { FilePrice } from '../../../../cli/paywall-file/file.ts'
import { DEFINITIONS } from '../../../../lib/processors/definitions.ts'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { formatInterval, formatMoney } from '../format.ts'
import { shownVersion } from '../preview.ts'

/** The paywall's prices, each with a button that opens the processor's page. */
export async function paywallSection({ world, buyer }: HomeContext, { paywall }: ShownPaywall) {
  const version = await shownVersion(world, paywall.id)
  const { title } = DEFINITIONS[paywall.processor.acquiring]
  return html`<section id="paywall" aria-labelledby="paywall-heading">
    <h2 id="paywall-heading">${paywall.name}</h2>
    <p>Paywall ${paywall.id}${paywall.is_test ? '' : ', live'}sells through ${title}. ${
      paywall.domain ? `Its domain is ${paywall.domain}.` : ''
    }</p>
    <form method="post" action="/buy">
      <input type="hidden" name="paywall" value="${paywall.id}">
      <label for="buyer">Buy as</label>
      <input id="buyer" name="email" type="email" required value="${buyer.email}" autocomplete="off" data-keep>
      <ul class="prices">
        ${paywall.prices.map((price) => priceCard(price))}
      </ul>
    </form>
    <iframe src="/preview/${paywall.id}?${encodeURIComponent(version)}" title="The page of ${paywall.name}" sandbox inert></iframe>
    <p><a href="${world.url}/p/${paywall.id}">Open this page</a>, or see its data:
      <a href="${world.url}/api/v1/paywall/${paywall.id}/bootstrap">bootstrap</a></p>
  </section>`
}

function priceCard({ id, label, amount, currency, interval, interval_count: count, trial_days: days }: FilePrice) {
  const trial = days > 0 ? `, ${days} days free` : ''
  return html`<li>
          <span><b>${label}</b><br>${formatMoney(amount, currency)} ${formatInterval(interval, count)}${trial}</span>
          <button name="price" value="${id}" aria-label="Buy ${label}">Buy</button>
        </li>`
}
