import { html, raw } from 'hono/html'
import type { FilePrice } from '../../../../cli/paywall-file/file.ts'
import { allCountries, UNKNOWN_COUNTRY } from '../../../../lib/geo/countries.ts'
import { DEFINITIONS } from '../../../../lib/processors/definitions.ts'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { countryName, formatInterval, formatMoney, soldIn } from '../format.ts'
import { shownVersion } from '../preview.ts'

/** The paywall's prices, each with a button that opens the processor's page. */
export async function paywallSection({ world, buyer, visitor }: HomeContext, { paywall }: ShownPaywall) {
  const version = await shownVersion(world, paywall.id)
  const { title } = DEFINITIONS[paywall.processor.acquiring]
  return html`<section id="paywall" aria-labelledby="paywall-heading">
    <h2 id="paywall-heading">${paywall.name}</h2>
    <p>Paywall ${paywall.id}${paywall.is_test ? '' : ', live,'} sells through ${title}. ${
      paywall.domain ? `Its domain is ${paywall.domain}.` : ''
    }</p>
    <form method="post" action="/buy">
      <input type="hidden" name="paywall" value="${paywall.id}">
      <label for="buyer">Buy as</label>
      <input id="buyer" name="email" type="email" required value="${buyer.email}" autocomplete="off" data-keep>
      <ul class="prices">
        ${paywall.prices.map((price) => priceCard(price, soldIn(price, paywall.geo, visitor.country)))}
      </ul>
    </form>
    ${countryForm(paywall.id, visitor.country)}
    <iframe src="/preview/${paywall.id}?${encodeURIComponent(version)}" title="The page of ${paywall.name}" sandbox inert></iframe>
    <p><a href="${world.url}/p/${paywall.id}">Open this page</a>, or see its data:
      <a href="${world.url}/api/v1/paywall/${paywall.id}/bootstrap">bootstrap</a></p>
  </section>`
}

/** Chooses the country from which the service sees all its visitors come. */
const countryForm = (
  id: string,
  current: string,
) => html`<form method="post" action="/country" class="buttons" data-stay>
      <input type="hidden" name="paywall" value="${id}">
      <label>Visitors come from <select name="country" data-keep>
        ${COUNTRIES.map(([code, name]) => html`<option value="${code}"${code === current ? raw(' selected') : ''}>${name}</option>`)}
      </select></label>
      <button>Change</button>
    </form>`

const COUNTRIES = allCountries()
  .filter((code) => code !== UNKNOWN_COUNTRY)
  .map((code) => [code, countryName(code)] as const)
  .toSorted(([, one], [, other]) => one.localeCompare(other, 'en'))

function priceCard(price: FilePrice, { amount, currency }: { amount: number; currency: string }) {
  const { id, label, interval, interval_count: count, trial_days: days } = price
  const trial = days > 0 ? `, ${days} days free` : ''
  return html`<li>
          <span><b>${label}</b><br>${formatMoney(amount, currency)} ${formatInterval(interval, count)}${trial}</span>
          <button name="price" value="${id}" aria-label="Buy ${label}">Buy</button>
        </li>`
}
