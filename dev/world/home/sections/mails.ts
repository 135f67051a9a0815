import { html } from 'hono/html'
import type { Mail } from '../../pages/mail.ts'
import type { HomeParts } from '../parts.ts'
import { time } from '../words.ts'

const SHOWN = 20

/** The mails that the service has sent, whichever paywall's, the latest first. */
export function mailsSection({ world }: HomeParts) {
  const mails = world.mail.received.toReversed()
  return html`<section id="mails" aria-labelledby="mails-heading">
    <h2 id="mails-heading">Mails: ${mails.length}</h2>
    ${mails.length > 0 ? mails.slice(0, SHOWN).map(entry) : html`<p class="quiet">None yet. Ask for a sign-in code.</p>`}
  </section>`
}

const entry = ({ id, at, from, to, subject, text }: Mail) =>
  html`<details class="entry" data-key="${id}">
      <summary><b>${subject}</b> <span>${to}</span> ${time(at, { seconds: true })}</summary>
      <p class="quiet">from ${from.name} &lt;${from.email}&gt;</p>
      <pre tabindex="0" aria-label="Text">${text}</pre>
    </details>`
