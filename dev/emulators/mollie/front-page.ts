import { html } from 'hono/html'
import { addresses } from '../core/controls.ts'
import { frontPage } from '../core/front-page.ts'
import { CONTROLS } from './controls.ts'

export const mollieFrontPage = () =>
  frontPage(
    'Mollie emulator',
    html`Mollie's API answers under <code>/v2</code>, to the official SDK and the API key of a paywall
        file. A payment's page is at the <code>checkoutUrl</code> that start-checkout answers.`,
    addresses(CONTROLS),
    `curl -d '{"subscription":"sub_…"}' …/_emulator/renew`,
  )
