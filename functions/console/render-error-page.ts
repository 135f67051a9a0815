import type { Context } from 'hono'
import type { ApiError } from '../../lib/http/errors.ts'
import { FRONT_PATH, SIGN_IN_PATH } from './paths.ts'
import { sessionErrors } from './session.ts'
import { showPage } from './show.ts'
import { failurePage } from './views/failure.tsx'

/** Renders an error as a page. Whoever is signed out signs in first, and then sees the page. */
export async function renderErrorPage(c: Context, { status, refusal, body }: ApiError): Promise<Response> {
  if (refusal === sessionErrors.signed_out[2]) {
    const { pathname, search } = new URL(c.req.url)
    const to = c.req.method === 'POST' ? '/' : pathname + search
    return c.redirect(`${SIGN_IN_PATH}?${new URLSearchParams({ to })}`, 303)
  }
  const isAct = c.req.method === 'POST'
  const title = status === 404 && !isAct ? 'Page not found' : 'This did not work'
  const back = isAct ? { href: c.req.path, text: 'Back' } : { href: FRONT_PATH, text: 'To the console' }
  return showPage(c, failurePage(title, body.message ?? body.error, back), status)
}
