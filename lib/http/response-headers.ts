const EXPOSED_HEADERS = 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id'

/** What every response says. Any origin may read it; browsers must not guess its type. */
const ALWAYS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** What a response says unless its endpoint says otherwise, as one that serves a page does. Nobody is told its address. */
const BY_DEFAULT = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'no-referrer'],
] as const

/**
 * Gives a response what all have: CORS, security headers and the request id. Any origin may read it, without credentials: a
 * browser gives nobody what was answered to cookies, which only the pages have. It is not cached unless the endpoint says so.
 */
export function addCommonHeaders(headers: Headers, requestId: string): void {
  headers.set('X-Request-Id', requestId)
  for (const [name, value] of ALWAYS) headers.set(name, value)
  for (const [name, value] of BY_DEFAULT) {
    if (!headers.has(name)) headers.set(name, value)
  }
}
