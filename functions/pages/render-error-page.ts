import type { Context } from 'hono'
import type { ApiError } from '../../lib/http/errors.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import { frontPath, isEmbeddedPath } from './contract.ts'
import { rememberedEmbedder } from './embedder.ts'
import { sentForm } from './form.ts'
import { defaultLocale, parseTag, wantedLocale } from './locale.ts'
import { messageFor } from './problem.ts'
import { show } from './show.ts'
import { TEXTS, textsFor } from './texts/texts.ts'
import { failurePage, PLAIN_STYLE, type Retry } from './views/failure.tsx'

/** Renders an error as a page of its own, where no paywall's page can show it. */
export async function renderErrorPage(c: Context, { status, error, retryAfter }: ApiError): Promise<Response> {
  const offered = Object.keys(TEXTS)
  const wanted = wantedLocale(offered, c.req.query('locale'), c.req.header('accept-language'))
  const locale = wanted ?? defaultLocale(offered)
  const texts = textsFor(locale)
  const title = status === 404 ? texts.notFound : texts.problem
  const text = messageFor({ status, error, retryAfter: retryAfter ?? null }, texts)
  const again = c.req.method === 'POST' && status >= 429 ? await toRetry(c.req.raw) : null
  const page = failurePage(texts, { tag: parseTag(locale), title, text, again, front: frontPage(c, error) })
  return show(c, PLAIN_STYLE, page, status, { embedder: rememberedEmbedder(c) })
}

/**
 * The front page of the request's paywall, or of the host if there is no such paywall, in the language that the visitor has chosen. Null on
 * that page itself, and where a dialog has none.
 */
function frontPage(c: Context, error: string): string | null {
  const { path, method } = c.req
  const isUnknown = error === paywallErrors.unknown_paywall[1]
  if (isUnknown && isEmbeddedPath(path)) return null
  const front = isUnknown ? '/' : frontPath(path)
  if (front === path && method !== 'POST') return null
  const locale = c.req.query('locale')
  return locale === undefined ? front : `${front}?${new URLSearchParams({ locale })}`
}

/** The submitted form and its URL, so that the visitor can submit it again unchanged. */
async function toRetry(request: Request): Promise<Retry> {
  const isMultipart = request.headers.get('content-type')?.startsWith('multipart/') ?? false
  return { action: request.url, isMultipart, ...(await sentForm(request)) }
}
