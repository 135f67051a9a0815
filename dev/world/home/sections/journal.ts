import { html } from 'hono/html'
import type { HomeParts } from '../parts.ts'
import { time } from '../words.ts'

/** What was done, the latest first. */
export function journalSection({ journal: { entries } }: HomeParts) {
  const [latest, ...earlier] = entries.map(
    ({ at, sentence, isRefusal }) =>
      html`<p class="${isRefusal ? 'refused' : 'done'}">${time(at, { seconds: true })} ${sentence}</p>`,
  )
  return html`<section id="journal" aria-label="What was done">
    <div data-latest>${latest ?? html`<p class="quiet">What you do here is told in this place.</p>`}</div>
    ${earlier.length > 0 ? html`<details data-key="earlier"><summary>Earlier</summary>${earlier}</details>` : ''}
  </section>`
}

/** Files that are wrong as they were saved last. */
export function faultsSection({ faults }: HomeParts) {
  const wrong = faults()
  if (wrong.length === 0) return ''
  return html`<section id="faults" role="alert">
    ${wrong.map(
      ({ path, errors }) => html`<p><b>${path} is wrong as it was saved.</b> What was applied before stays.</p>
      <ul>${errors.map((error) => html`<li>${error}</li>`)}</ul>`,
    )}
  </section>`
}
