import { html } from 'hono/html'
import { STYLE_PATH } from '../../../generated/page-assets.ts'
import type { SentForm } from '../form.ts'
import type { Texts } from '../texts/en.ts'
import { brandStyle } from './colour.ts'
import { ImagesField } from './images-field.tsx'

/** The style of a page that no paywall gives its colours. */
export const PLAIN_STYLE = brandStyle(undefined)

/** A form that was not done. */
export interface Retry extends SentForm {
  action: string
  /** Whether it is one that files may be sent with. */
  isMultipart: boolean
}

interface Failure {
  tag: string
  title: string
  text: string
  /** Null: there is nothing to be sent again. */
  again: Retry | null
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
          {again && <AgainForm texts={texts} again={again} />}
        </main>
      </body>
    </html>
  )}`
}

/** The same form, with what was typed. No page can fill in files: whoever had chosen some is asked for them again. */
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
