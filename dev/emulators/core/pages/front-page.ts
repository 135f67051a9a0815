import { html } from 'hono/html'
import { layout } from './layout.ts'

/** The page at an emulator's own address. `path`: what the API's paths begin with. `controls` are what curl can do. */
export function frontPage(
  title: string,
  { path, credential }: { path: string; credential: string },
  controls: string[],
): Promise<string> {
  return layout(
    `${title} emulator`,
    html`<p class="terms">${title}'s API answers under <code>${path}</code>, to the official SDK and the
        ${credential} of a paywall file. A checkout's page is at the <code>checkoutUrl</code> that start-checkout
        answers.</p>
      <p class="hint">What a bank, a customer or the passing of time would do has a button at the local world's home. Programs do it
        with curl; if a body is wrong, the response says what it should be:</p>
      <ul class="hint">${controls.map((control) => html`<li><code>${control}</code></li>`)}</ul>
      <p class="hint"><code>curl -d '{"subscription":"…"}' …/_emulator/renew</code></p>`,
  )
}
