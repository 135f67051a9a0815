import { html, raw } from 'hono/html'
import type { PaywallFile } from '../../../../cli/paywall-file/file.ts'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { time } from '../format.ts'
import { formatCount, listPage, otherFields, PAGE_SIZE, pager } from '../lists.ts'
import { type ShownEvent, shownEvents } from '../received-events.ts'

const FIELDS = ['type', 'user', 'text'] as const

/** The events that reached the webhook receiver, newest first, with a form to filter them. */
export function eventsSection({ world }: HomeContext, { file, paywall }: ShownPaywall, query: URLSearchParams) {
  const all = shownEvents(world.receiver.received, paywall.id)
  const chosen = all.filter((event) => isChosen(event, query)).toReversed()
  const page = listPage(query, 'events', chosen.length)
  const shown = chosen.slice(page.offset, page.offset + PAGE_SIZE)
  return html`<section id="events" class="wide" aria-labelledby="events-heading">
    <h2 id="events-heading">Events: ${formatCount(chosen.length, all.length)}</h2>
    <form method="get" action="/#events" class="filter">
      ${otherFields(query, [...FIELDS, 'events-page'])}
      ${select('type', 'Type', distinct(all, 'type'), query.get('type'))}
      ${select('user', 'User', distinct(all, 'user'), query.get('user'))}
      <label>Text <input name="text" value="${query.get('text') ?? ''}" data-keep></label>
      <button>Filter</button>
      <button type="button" data-fold="open" hidden>Open all</button>
      <button type="button" data-fold="close" hidden>Collapse all</button>
    </form>
    ${isReceiving(file, world.receiver.url) ? '' : setup(world.receiver.url)}
    ${shown.length > 0 ? shown.map(entry) : html`<p class="quiet">${all.length > 0 ? 'No events match the filter.' : 'No events yet. Buy something to create some.'}</p>`}
    ${pager(query, 'events', page)}
  </section>`
}

/** Whether a file has the receiver as a webhook endpoint. */
const isReceiving = ({ webhooks }: PaywallFile, receiver: string) =>
  webhooks.some(({ url }) => url.startsWith(`${receiver}/webhooks`))

const setup = (receiver: string) =>
  html`<p>To see events here, add this to <code>webhooks</code> in the paywall file:
      <code>${JSON.stringify({ url: `${receiver}/webhooks`, events: ['*'] })}</code></p>`

function isChosen(event: ShownEvent, query: URLSearchParams): boolean {
  const [type, user, text] = FIELDS.map((name) => query.get(name) ?? '')
  return (!type || event.type === type) && (!user || event.user === user) && (!text || event.body.includes(text))
}

const distinct = (events: ShownEvent[], field: 'type' | 'user') =>
  [...new Set(events.map((event) => event[field]).filter((value) => value !== ''))].toSorted()

const select = (name: string, label: string, values: string[], chosen: string | null) =>
  html`<label>${label} <select name="${name}" data-keep>
        <option value="">all</option>
        ${values.map((value) => html`<option${value === chosen ? raw(' selected') : ''}>${value}</option>`)}
      </select></label>`

function entry({ id, type, user, at, arrivedAt, body, verified, webhookId }: ShownEvent) {
  const signature = verified ? 'signature verified' : html`<b class="bad">signature matches no webhook endpoint</b>`
  return html`<details class="entry" data-key="${id}">
      <summary><b>${type || 'not an event'}</b> <span>${user}</span> ${time(at, { seconds: true })}</summary>
      <p class="quiet">${webhookId || 'no webhook-id'}, arrived ${time(arrivedAt, { seconds: true })}, ${signature}.
        <a href="/events/${id}/json" data-copies>Copy as JSON</a>
        <a href="/events/${id}/curl" data-copies>Copy as curl</a></p>
      <pre tabindex="0" aria-label="Body">${body}</pre>
    </details>`
}
