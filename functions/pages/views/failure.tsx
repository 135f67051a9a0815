import { html } from 'hono/html'
import { STYLE_PATH } from '../../../generated/page-assets.ts'
import type { SentForm } from '../form.ts'
import type { Texts } from '../texts/en.ts'
import { brandStyle } from './colour.ts'
import { ImagesField } from './images-field.tsx'

/** The style of a page without a paywall's colours. */
export const PLAIN_STYLE = brandStyle(undefined)

/** A form whose submission failed. */
export interface Retry extends SentForm {
  action: string
  /** Whether the form can have files. */
  isMultipart: boolean
}

interface Failure {
  tag: string
  title: string
  text: string
  /** Null if there is nothing to submit again. */
  again: Retry | null
  /** The URL of the front page; null if there is none to go to. */
  front: string | null
}

/** The error page, shown where the paywall's own page cannot be. */
export function failurePage(texts: Texts, { tag, title, text, again, front }: Failure) {
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
          {again && <AgainForm texts={texts} again={again} />}
          {front && (
            <p>
              <a href={front}>{texts.toFront}</a>
            </p>
          )}
        </main>
      </body>
    </html>
  )}`
}

/** The same form with the values that were typed. Files cannot be prefilled, so the visitor is asked to choose them again. */
function AgainForm({ texts, again }: { texts: Texts; again: Retry }) {
  const { action, isMultipart, hasFiles, fields } = again
  return (
    <form
      class={hasFiles ? 'card' : undefined}
      method="post"
      action={action}
      enctype={isMultipart ? 'multipart/form-data' : undefined}
    >
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {hasFiles && (
        <>
          <p>{texts.imagesAgain}</p>
          <ImagesField texts={texts} />
        </>
      )}
      <div>
        <button type="submit" class="primary">
          {texts.tryAgain}
        </button>
      </div>
    </form>
  )
}
