import { html } from 'hono/html'
import { STYLE_PATH } from '../../../generated/page-assets.ts'
import { brandStyle } from './colour.ts'

/** The style of a page that no paywall gives its colours. */
export const PLAIN_STYLE = brandStyle(undefined)

/** A page where the paywall's own cannot be shown. */
export function failurePage(tag: string, title: string, text: string) {
  return html`<!doctype html>${(
    <html lang={tag}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="stylesheet" href={STYLE_PATH} />
        <style>{PLAIN_STYLE}</style>
      </head>
      <body>
        <main class="narrow">
          <h1>{title}</h1>
          <p>{text}</p>
        </main>
      </body>
    </html>
  )}`
}
