import { html } from 'hono/html'
import { layout } from './layout.ts'

/** An emulator's front page. `path`: the prefix of the API's paths. `controls`: the HTTP controls. */
export function frontPage(
  title: string,
  { path, credential }: { path: string; credential: string },
  controls: string[],
): Promise<string> {
  return layout(
    `${title} emulator`,
    html`<p class="terms">${title}'s API is at <code>${path}</code>. Use the official SDK with the
        ${credential} of a paywall file. A checkout's page is at the <code>checkoutUrl</code> that start-checkout
        returns.</p>
      <p class="hint">The local world's home has buttons for what a bank, a customer or time would do. Programs can do the same
        with these controls; the response to an invalid body explains what is expected:</p>
      <ul class="hint">${controls.map((control) => html`<li><code>${control}</code></li>`)}</ul>
      <p class="hint"><code>curl -d '{"subscription":"…"}' …/_emulator/renew</code></p>`,
  )
}
