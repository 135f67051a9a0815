import { defineErrors } from './errors.ts'

/** The error of a form that another site has sent. */
export const forgeryErrors = defineErrors<'forged'>({ forged: [403, 'forged', 'The form was sent from another site'] })

/**
 * Whether a request was sent by a page of the same origin, so that another site cannot make a browser act with its cookies. Checks
 * `Sec-Fetch-Site`, or `Origin` for older browsers that do not send it. hono/csrf checks only the content types of forms, and answers in plain
 * text instead of with an error page.
 */
export function isSameOrigin({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.get('origin') === new URL(url).origin : site === 'same-origin'
}

/** Whether a URL is that of a local world, which speaks plain http, where browsers take no secure cookie. */
export const isLocalUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
