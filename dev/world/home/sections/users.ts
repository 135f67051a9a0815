import { html } from 'hono/html'
import { findMembers, type MemberRow } from '../members.ts'
import type { HomeParts, Shown } from '../parts.ts'

/** The users of the paywall, the latest first, each with a link to its timeline. */
export async function usersSection({ world }: HomeParts, { paywall }: Shown, query: URLSearchParams) {
  const text = query.get('find') ?? ''
  const members = await findMembers(world.database, paywall.id, text)
  return html`<section id="users" aria-labelledby="users-heading">
    <h2 id="users-heading">Users: ${members.length}</h2>
    <form method="get" action="/#users" class="filter">
      <input type="hidden" name="paywall" value="${paywall.id}">
      <label>Name <input name="find" value="${text}" data-keep></label>
      <button>Find</button>
    </form>
    ${
      members.length > 0
        ? html`<ul>${members.map((member) => line(paywall.id, member))}</ul>`
        : html`<p class="quiet">${text === '' ? 'None yet.' : 'None of that name.'}</p>`
    }
  </section>`
}

const line = (paywallId: string, { id, name, status, balances }: MemberRow) =>
  html`<li><a href="/user?paywall=${paywallId}&amp;id=${id}">${name}</a>
        <span class="quiet">${[status ?? 'has bought nothing', ...balances].join(', ')}</span></li>`
