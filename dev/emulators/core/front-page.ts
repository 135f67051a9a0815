import { html } from 'hono/html'
import { type Html, layout } from './layout.ts'

/** What somebody sees who opens an emulator's own address. `example` is a body and the control it goes to. */
export function frontPage(title: string, about: Html, controls: string[], example: string): Promise<string> {
  return layout(
    title,
    html`<p class="terms">${about}</p>
      <p class="hint">What a bank, a customer or time would do, curl does. The answer to a wrong body says what belongs in:</p>
      <ul class="hint">${controls.map((control) => html`<li><code>${control}</code></li>`)}</ul>
      <p class="hint"><code>${example}</code></p>`,
  )
}
