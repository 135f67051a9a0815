import { html } from 'hono/html'
import { addresses } from '../core/controls.ts'
import { frontPage } from '../core/front-page.ts'
import { CONTROLS } from './controls.ts'

export const stripeFrontPage = () =>
  frontPage(
    'Stripe emulator',
    html`Stripe's API answers under <code>/v1</code>, to the official SDK and the secret key of a paywall
        file. A checkout's page is at the <code>checkoutUrl</code> that start-checkout answers.`,
    addresses(CONTROLS),
    `curl -d '{"subscription":"sub_…"}' …/_emulator/renew`,
  )
