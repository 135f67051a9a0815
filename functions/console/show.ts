import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ConsoleContext } from './session.ts'

type Html = Parameters<ConsoleContext['html']>[0]

/**
 * Responds with a page. It loads only what is at the console's own origin, and no site can frame it. `Referrer-Policy: same-origin` makes
 * browsers send `Origin` with the console's own forms, which `requireSameOrigin` requires.
 */
export function showPage(c: ConsoleContext, page: Html, status = 200): Response | Promise<Response> {
  c.header(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
      "frame-ancestors 'none'",
  )
  c.header('Referrer-Policy', 'same-origin')
  c.header('Cache-Control', 'no-store')
  return c.html(page, status as ContentfulStatusCode)
}
