import { html } from 'hono/html'
import { CONTROLS } from './controls.ts'
import { layout } from './layout.ts'

/** What somebody sees who opens the emulator's own address. */
export function frontPage(): Promise<string> {
  const controls = CONTROLS.map((control) => html`<li><code>${control}</code></li>`)
  return layout(
    'Stripe emulator',
    html`<p class="terms">Stripe's API answers under <code>/v1</code>, to the official SDK and the secret key of a paywall
        file. A checkout's page is at the <code>checkoutUrl</code> that start-checkout answers.</p>
      <p class="hint">What a bank, a customer or time would do, curl does. The answer to a wrong body says what belongs in:</p>
      <ul class="hint">${controls}</ul>
      <p class="hint"><code>curl -d '{"subscription":"sub_…"}' …/_emulator/renew</code></p>`,
  )
}
