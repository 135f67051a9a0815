import { html } from 'hono/html'
import { type Html, layout } from './layout.ts'

interface Front {
  title: string
  about: Html
  /** A curl command for one of the controls. */
  example: string
}

/** The page at an emulator's own address. */
export function frontPage({ title, about, example }: Front, controls: string[]): Promise<string> {
  return layout(
    `${title} emulator`,
    html`<p class="terms">${about}</p>
      <p class="hint">With curl you do what a bank, a customer or the passing of time would do. If a body is wrong, the
        response says what it should be:</p>
      <ul class="hint">${controls.map((control) => html`<li><code>${control}</code></li>`)}</ul>
      <p class="hint"><code>${example}</code></p>`,
  )
}
