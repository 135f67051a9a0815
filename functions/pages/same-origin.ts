import type { MiddlewareHandler } from 'hono'
import { apiError } from '../../lib/http/errors.ts'
import { forgeryErrors, isSameOrigin } from '../../lib/http/same-origin.ts'
import { isDialogPath } from './contract.ts'

/**
 * CSRF protection: accepts a POST only from a page of the same origin. The form that opens a dialog is from another site, and is checked by its
 * handler.
 */
export const sameOrigin: MiddlewareHandler = async function sameOrigin(c, next) {
  if (c.req.method === 'POST' && !isDialogPath(c.req.path) && !isSameOrigin(c.req.raw))
    throw apiError(forgeryErrors.forged)
  await next()
}
