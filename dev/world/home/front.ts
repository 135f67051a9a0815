import { html, raw } from 'hono/html'
import type { Html } from '../../emulators/core/pages/layout.ts'
import { type HomeContext, type ShownPaywall, shownPaywalls } from './context.ts'
import type { PageContent } from './layout.ts'
import { clockSection } from './sections/clock.ts'
import { eventsSection } from './sections/events.ts'
import { invalidFilesSection, journalSection } from './sections/journal.ts'
import { keysSection } from './sections/keys.ts'
import { mailsSection } from './sections/mails.ts'
import { paywallSection } from './sections/paywall.ts'
import { purchasesSection } from './sections/purchases.ts'
import { usersSection } from './sections/users.ts'

/** Home's front page: one paywall with everything that happens to it. `paywall` in the query selects which. */
export async function frontPage(parts: HomeContext, query: URLSearchParams): Promise<PageContent> {
  const all = shownPaywalls(parts)
  const shown = all.find(({ paywall }) => paywall.id === query.get('paywall')) ?? all[0]
  const withPaywall = new URLSearchParams(query)
  if (shown) withPaywall.set('paywall', shown.paywall.id)
  return {
    title: 'Local world',
    header: paywallLinks(all, shown),
    main: html`${journalSection(parts)}${invalidFilesSection(parts)}${shown ? await sections(parts, shown, withPaywall) : ''}`,
  }
}

const sections = async (parts: HomeContext, shown: ShownPaywall, query: URLSearchParams): Promise<Html> => html`
    ${await paywallSection(parts, shown)}
    ${await clockSection(parts, shown)}
    ${keysSection(parts, shown)}
    ${await purchasesSection(parts, shown, query)}
    ${eventsSection(parts, shown, query)}
    ${await usersSection(parts, shown, query)}
    ${mailsSection(parts, query)}`

function paywallLinks(all: ShownPaywall[], shown: ShownPaywall | undefined): Html {
  return html`<nav aria-label="Paywalls"><ul>
      ${all.map(
        (each) =>
          html`<li><a href="/?paywall=${each.paywall.id}"${
            each === shown ? raw(' aria-current="page"') : ''
          }>${each.paywall.name} (${each.paywall.id})</a></li>`,
      )}
    </ul></nav>`
}
