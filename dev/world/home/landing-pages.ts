import { html } from 'hono/html'
import { layout } from './layout.ts'

// Landing pages of the demo's buyers, in place of the owner's own pages, so that the demo works offline.

/** The demo's `successUrl`. */
export const thanksPage = () =>
  landingPage('Thank you', 'The purchase is stored, and its events are being sent to the webhook receiver.')

/** The demo's `errorUrl`. */
export const sorryPage = () => landingPage('Nothing was bought', "You left the processor's page without paying.")

const landingPage = (title: string, text: string) =>
  layout(
    {
      title,
      header: html``,
      main: html`<section>
      <p>${text} This page stands in for one of the owner's. Set it with <code>successUrl</code> and <code>errorUrl</code> of a checkout,
        or in the paywall's settings.</p>
      <p><a href="/">Back to home</a></p>
    </section>`,
    },
    { isLive: false },
  )
