import { html } from 'hono/html'
import type { HomeContext } from './context.ts'
import { time } from './format.ts'
import { type Entry, readHistory } from './history.ts'
import type { PageContent } from './layout.ts'
import { PAGE_SIZE, pageNumber, pager } from './lists.ts'
import { readMember } from './members.ts'

const KINDS = { checkout: 'Checkout', payment: 'Payment', event: 'Event', balance: 'Balance' }

/** A user's history by the paywall's clock; null if there is no such user. */
export async function timelinePage({ world }: HomeContext, query: URLSearchParams): Promise<PageContent | null> {
  const paywallId = query.get('paywall') ?? ''
  const userId = query.get('id') ?? ''
  const member = await readMember(world.database, paywallId, userId)
  if (!member) return null
  const number = pageNumber(query, 'history')
  const entries = await readHistory(world.database, { paywallId, userId, count: number * PAGE_SIZE + 1 })
  const shown = entries.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE)
  return {
    title: member.name,
    header: html`<nav aria-label="Back"><a href="/?paywall=${paywallId}">Home</a></nav>`,
    main: html`<section id="now" class="wide" aria-labelledby="now-heading">
      <h2 id="now-heading">Now</h2>
      <p>${member.status ?? 'No purchase'}. ${member.balances.length > 0 ? `Tokens: ${member.balances.join(', ')}.` : 'No tokens.'}</p>
    </section>
    <section id="history" class="wide" aria-labelledby="history-heading">
      <h2 id="history-heading">History, newest first</h2>
      <ol class="history">${shown.map(line)}</ol>
      ${pager(query, 'history', { number, hasOlder: entries.length > number * PAGE_SIZE })}
    </section>`,
  }
}

const line = ({ at, kind, text, details }: Entry) =>
  html`<li>${time(at, { seconds: true })} <b>${KINDS[kind]}</b> ${text}
        ${details.map((detail) => html`<br><span class="quiet">${detail}</span>`)}</li>`
