const EXPOSED_HEADERS = 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id'

/** What every response says. Any origin may read it; browsers must neither guess its type nor tell others its address. */
const ALWAYS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** What a response says unless its endpoint says otherwise, as one that serves a page does. */
const BY_DEFAULT = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
] as const

/**
 * Gives a response what all have: CORS, security headers and the request id. Any origin may read it: no credential of
 * ours is a cookie, so a browser adds none by itself. It is not cached unless the endpoint says so.
 */
export function addCommonHeaders(headers: Headers, requestId: string): void {
  headers.set('X-Request-Id', requestId)
  for (const [name, value] of ALWAYS) headers.set(name, value)
  for (const [name, value] of BY_DEFAULT) {
    if (!headers.has(name)) headers.set(name, value)
  }
}
