import { html } from 'hono/html'
import type { HomeContext } from '../context.ts'
import { time } from '../format.ts'

/** The actions on this page, newest first. */
export function journalSection({ journal: { entries } }: HomeContext) {
  const [latest, ...earlier] = entries.map(
    ({ at, sentence, isRefusal }) =>
      html`<p class="${isRefusal ? 'refused' : 'done'}">${time(at, { seconds: true })} ${sentence}</p>`,
  )
  return html`<section id="journal" aria-label="Journal">
    <div data-latest>${latest ?? html`<p class="quiet">No actions yet. Press “Buy” to begin.</p>`}</div>
    ${earlier.length > 0 ? html`<details data-key="earlier"><summary>Earlier</summary>${earlier}</details>` : ''}
  </section>`
}

/** Files that are invalid as last saved. */
export function invalidFilesSection({ invalidFiles }: HomeContext) {
  const wrong = invalidFiles()
  if (wrong.length === 0) return ''
  return html`<section id="faults" role="alert">
    ${wrong.map(
      ({
        path,
        errors,
      }) => html`<p><b>${path} was saved with errors.</b> The version applied before stays in effect.</p>
      <ul>${errors.map((error) => html`<li>${error}</li>`)}</ul>`,
    )}
  </section>`
}
