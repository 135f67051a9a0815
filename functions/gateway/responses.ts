import { errorPage, errorPagePolicy, FRONT_PAGE } from '../../lib/http/error-page.ts'
import { preferredLanguage } from '../../lib/http/preferred-language.ts'
import { addCommonHeaders } from '../../lib/http/response-headers.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { MESSAGES, type Refusal } from './refusals.ts'

/** `X-Api-Key` is missing on purpose: browsers must not send owner keys across origins. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Paywall-Id, X-SDK-Version, X-Client-Ip'
/** How long a browser may cache a preflight, in seconds: the most that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200

/** An error of the gateway itself, as JSON. */
export function jsonError(
  refusal: Refusal,
  requestId: string,
  { duplicateCode, headers }: { duplicateCode: boolean | undefined; headers: Record<string, string> },
): Response {
  const [status, error, , message] = sharedErrors[refusal]
  const body = { error, message, ...(duplicateCode && { code: error }) }
  return withCommonHeaders(Response.json(body, { status, headers }), requestId)
}

/** An error of the gateway itself, as an HTML page. A page that does not exist links to the front page of its paywall or host. */
export async function htmlError(
  refusal: Refusal,
  requestId: string,
  { request, path, headers }: { request: Request; path: string; headers: Record<string, string> },
): Promise<Response> {
  const [status] = sharedErrors[refusal]
  const ofPage = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': await errorPagePolicy() }
  const language = preferredLanguage(request.headers.get('accept-language'))
  const front = { href: /^\/p\/\d+(?=\/)/.exec(path)?.[0] ?? '/', text: FRONT_PAGE[language] }
  const content = { ...MESSAGES[refusal][language], ...(refusal === 'not_found' && { link: front }) }
  const response = new Response(errorPage(language, content), { status, headers: { ...headers, ...ofPage } })
  return withCommonHeaders(response, requestId)
}

export function preflight(requestId: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  }
  return withCommonHeaders(new Response(null, { status: 204, headers }), requestId)
}

/** The headers that every response has. */
function withCommonHeaders(response: Response, requestId: string): Response {
  addCommonHeaders(response.headers, requestId)
  return response
}
