import type { Context } from 'hono'
import type { ApiError } from '../../lib/http/errors.ts'
import { localeFor, tagOf } from './locale.ts'
import { sentenceFor } from './problem.ts'
import { show } from './show.ts'
import { TEXTS, textsFor } from './texts/texts.ts'
import { failurePage, PLAIN_STYLE } from './views/failure.tsx'

/** A refusal as a page, where there is no page of a paywall to say it on. */
export function sayInWords(c: Context, { status, error, retryAfter }: ApiError): Promise<Response> {
  const locale = localeFor(Object.keys(TEXTS), c.req.query('locale'), c.req.header('accept-language'))
  const texts = textsFor(locale)
  const title = status === 404 ? texts.notFound : texts.problem
  return show(
    c,
    PLAIN_STYLE,
    failurePage(tagOf(locale), title, sentenceFor({ status, error, retryAfter: retryAfter ?? null }, texts)),
    status,
  )
}
