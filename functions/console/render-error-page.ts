import type { Context } from 'hono'
import type { ApiError } from '../../lib/http/errors.ts'
import { SIGN_IN_PATH } from './paths.ts'
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
  const text = status >= 500 ? 'Something went wrong on our side. Try again in a moment.' : (body.message ?? body.error)
  return showPage(c, failurePage(status === 404 ? 'Page not found' : 'This did not work', text), status)
}
