import { html } from 'hono/html'
import { STYLE_PATH } from '../../../generated/page-assets.ts'
import type { Texts } from '../texts/en.ts'
import { brandStyle } from './colour.ts'

/** The style of a page that no paywall gives its colours. */
export const PLAIN_STYLE = brandStyle(undefined)

/** A form that was not done. */
export interface Again {
  action: string
  /** Whether it is one that files are sent with. They have to be chosen again. */
  hasFiles: boolean
  fields: Record<string, string>
}

interface Failure {
  tag: string
  title: string
  text: string
  /** Null: there is nothing to be sent again. */
  again: Again | null
}

/** A page where the paywall's own cannot be shown. */
export function failurePage(texts: Texts, { tag, title, text, again }: Failure) {
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
          {again && (
            <form method="post" action={again.action} enctype={again.hasFiles ? 'multipart/form-data' : undefined}>
              {Object.entries(again.fields).map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <button type="submit" class="primary">
                {texts.tryAgain}
              </button>
            </form>
          )}
        </main>
      </body>
    </html>
  )}`
}
