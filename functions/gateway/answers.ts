import type { Wording } from '../../lib/http/errors.ts'

/** `X-Api-Key` is missing on purpose: no browser may send an owner key across origins. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Paywall-Id, X-SDK-Version, X-Client-Ip'
const EXPOSED_HEADERS = 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id'
/** How long a browser may remember a preflight, in seconds: the most that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200

/** What every answer says: any origin may read it, and browsers must neither guess its type nor tell others its address. */
const ALWAYS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** What an answer says unless its endpoint says otherwise, as one that serves a page does. */
const BY_DEFAULT = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
] as const

/**
 * An endpoint's answer as the caller gets it, with CORS, security headers and the request id. Any origin may read it: no
 * credential of ours is a cookie, so a browser adds none by itself. It is not cached unless the endpoint says so.
 */
export function answer(response: Response, requestId: string): Response {
  const open = new Response(response.body, response)
  open.headers.set('X-Request-Id', requestId)
  for (const [name, value] of ALWAYS) open.headers.set(name, value)
  for (const [name, value] of BY_DEFAULT) {
    if (!open.headers.has(name)) open.headers.set(name, value)
  }
  return open
}

/** A refusal by the gateway itself. */
export function refusal(
  [status, error]: Wording,
  requestId: string,
  { saysCode = false, headers = {} }: { saysCode?: boolean; headers?: HeadersInit } = {},
): Response {
  const body = { error, ...(saysCode && { code: error }) }
  return answer(Response.json(body, { status, headers }), requestId)
}

export function preflight(requestId: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  }
  return answer(new Response(null, { status: 204, headers }), requestId)
}
