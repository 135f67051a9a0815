const EXPOSED_HEADERS = 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id'

/** Headers of every response. Any origin may read it; browsers must not guess its type. */
const ALWAYS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** Default headers, unless the endpoint sets them, as one that serves a page does. The URL is sent to nobody as a referrer. */
const BY_DEFAULT = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'no-referrer'],
] as const

/**
 * Adds the common headers: CORS, security headers and the request id. Any origin may read a response, without credentials: browsers do not
 * expose responses to requests with cookies, which only the pages use. It is not cached unless the endpoint says so. The gateway, which is no
 * Hono app, uses it, too; hono/secure-headers and hono/cors are middleware, and would overwrite what an endpoint has set.
 */
export function addCommonHeaders(headers: Headers, requestId: string): void {
  headers.set('X-Request-Id', requestId)
  for (const [name, value] of ALWAYS) headers.set(name, value)
  for (const [name, value] of BY_DEFAULT) {
    if (!headers.has(name)) headers.set(name, value)
  }
}
