import type { MiddlewareHandler } from 'hono'
import { apiError, defineErrors } from './errors.ts'

const errors = defineErrors<'forged'>({ forged: [403, 'forged', 'The form was sent from another site'] })

/**
 * CSRF protection: accepts a POST only from a page of the same origin, so that another site cannot make a browser act with its cookies. Checks
 * `Sec-Fetch-Site`, or `Origin` for older browsers that do not send it. hono/csrf checks only the content types of forms, and answers in plain
 * text instead of with an error page. `isExempt`: whether the handler of a path checks the origin itself.
 */
export const requireSameOrigin = (isExempt: (path: string) => boolean = () => false): MiddlewareHandler =>
  async function requireSameOrigin(c, next) {
    if (c.req.method === 'POST' && !isExempt(c.req.path) && !isSameOrigin(c.req.raw)) throw apiError(errors.forged)
    await next()
  }

function isSameOrigin({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === new URL(url).origin : site === 'same-origin'
}

/** Whether a URL is that of a local world, which speaks plain http, where browsers take no secure cookie. */
export const isLocalUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
