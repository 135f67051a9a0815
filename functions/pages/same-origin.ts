import type { MiddlewareHandler } from 'hono'
import { apiError, defineErrors } from '../../lib/http/errors.ts'

const errors = defineErrors<'forged'>({ forged: [403, 'forged'] })

/**
 * Lets in a POST only from a page of the same origin: another site cannot have a visitor's browser cancel or buy, with the cookies
 * that it has. Browsers say where a request comes from; the older ones, which do not send `Sec-Fetch-Site`, name the origin.
 */
export const sameOrigin: MiddlewareHandler = async function sameOrigin(c, next) {
  if (c.req.method === 'POST' && !isFromHere(c.req.raw)) throw apiError(errors.forged)
  await next()
}

function isFromHere({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === new URL(url).origin : site === 'same-origin'
}
