/** `X-Api-Key` is missing on purpose: no browser may send an owner key across origins. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Paywall-Id, X-SDK-Version, X-Client-Ip'
const EXPOSED_HEADERS = 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id'
/** How long a browser may remember a preflight, in seconds: the most that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200

export function preflight(requestId: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  }
  return withCors(new Response(null, { status: 204, headers }), requestId)
}

/** Any origin may read an answer: what matters is the credential, and none of ours is a cookie. */
export function withCors(response: Response, requestId: string): Response {
  const open = new Response(response.body, response)
  open.headers.set('Access-Control-Allow-Origin', '*')
  open.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
  open.headers.set('X-Request-Id', requestId)
  return open
}
