import type { MiddlewareHandler } from 'hono'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { isDialogPath } from './contract.ts'

const errors = defineErrors<'forged'>({ forged: [403, 'forged', 'The form was sent from another site'] })

/**
 * CSRF protection: accepts a POST only from a page of the same origin, so that another site cannot make a visitor's browser cancel or
 * buy with its cookies. Checks `Sec-Fetch-Site`, or `Origin` for older browsers that do not send it. hono/csrf checks only the content types
 * of forms, and answers in plain text instead of with an error page. The form that opens a dialog is from another site, and is checked by
 * its handler.
 */
export const sameOrigin: MiddlewareHandler = async function sameOrigin(c, next) {
  if (c.req.method === 'POST' && !isDialogPath(c.req.path) && !isFromHere(c.req.raw)) throw apiError(errors.forged)
  await next()
}

function isFromHere({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === new URL(url).origin : site === 'same-origin'
}
