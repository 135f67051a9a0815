import { html } from 'hono/html'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { formatCount, listPage, pager, searchForm } from '../lists.ts'
import { countMembers, findMembers, type MemberRow } from '../members.ts'

/** The users of the paywall, newest first, each with a link to its timeline. */
export async function usersSection({ world }: HomeContext, { paywall }: ShownPaywall, query: URLSearchParams) {
  const text = query.get('users') ?? ''
  const total = await countMembers(world.database, paywall.id, text)
  const page = listPage(query, 'users', total)
  const members = await findMembers(world.database, paywall.id, text, page.offset)
  return html`<section id="users" aria-labelledby="users-heading">
    <h2 id="users-heading">Users: ${formatCount(total)}</h2>
    ${searchForm(query, 'users', 'E-mail or id')}
    ${
      members.length > 0
        ? html`<ul>${members.map((member) => line(paywall.id, member))}</ul>`
        : html`<p class="quiet">${text === '' ? 'No users yet.' : 'No users match.'}</p>`
    }
    ${pager(query, 'users', page)}
  </section>`
}

const line = (paywallId: string, { id, name, status, balances }: MemberRow) =>
  html`<li><a href="/user?paywall=${paywallId}&amp;id=${id}">${name}</a>
        <span class="quiet">${[status ?? 'no purchase', ...balances].join(', ')}</span></li>`
