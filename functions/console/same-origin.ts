import type { MiddlewareHandler } from 'hono'
import { apiError } from '../../lib/http/errors.ts'
import { forgeryErrors, isSameOrigin } from '../../lib/http/same-origin.ts'

/** CSRF protection: accepts a POST only from a page of the console. */
export const sameOrigin: MiddlewareHandler = async function sameOrigin(c, next) {
  if (c.req.method === 'POST' && !isSameOrigin(c.req.raw)) throw apiError(forgeryErrors.forged)
  await next()
}
