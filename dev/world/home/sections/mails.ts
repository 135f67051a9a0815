import { html } from 'hono/html'
import type { Mail } from '../../pages/mail.ts'
import type { HomeContext } from '../context.ts'
import { time } from '../format.ts'
import { formatCount, listPage, PAGE_SIZE, pager } from '../lists.ts'

/** The mails that the service has sent for all paywalls, newest first. */
export function mailsSection({ world }: HomeContext, query: URLSearchParams) {
  const mails = world.mail.received.toReversed()
  const page = listPage(query, 'mails', mails.length)
  const shown = mails.slice(page.offset, page.offset + PAGE_SIZE)
  return html`<section id="mails" aria-labelledby="mails-heading">
    <h2 id="mails-heading">Mails: ${formatCount(mails.length)}</h2>
    ${shown.length > 0 ? shown.map(entry) : html`<p class="quiet">No mails yet. Request a sign-in code to send one.</p>`}
    ${pager(query, 'mails', page)}
  </section>`
}

const entry = ({ id, at, from, to, subject, text }: Mail) =>
  html`<details class="entry" data-key="${id}">
      <summary><b>${subject}</b> <span>${to}</span> ${time(at, { seconds: true })}</summary>
      <p class="quiet">from ${from.name} &lt;${from.email}&gt;</p>
      <pre tabindex="0" aria-label="Text">${text}</pre>
    </details>`
