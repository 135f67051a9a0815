import { html } from 'hono/html'
import { layout } from './layout.ts'

// Where the demo's buyers land. A page of the owner's own would stand here: these are there without a network.

/** Where a buyer lands who has paid. */
export const thanksPage = () =>
  landingPage('Thank you', 'The purchase is stored, and the webhook receiver is being told of it.')

/** Where a buyer lands who has not paid. */
export const sorryPage = () => landingPage('Nothing was bought', 'The page of the processor was left without paying.')

const landingPage = (title: string, text: string) =>
  layout(
    {
      title,
      header: html``,
      main: html`<section>
      <p>${text} This page stands for one of the owner's: <code>successUrl</code> and <code>errorUrl</code> of a checkout,
        or the paywall's settings, say where buyers land.</p>
      <p><a href="/">Back to home</a></p>
    </section>`,
    },
    { isLive: false },
  )
