import { refusalPage, refusalPolicy } from '../../lib/http/refusal-page.ts'
import { addCommonHeaders } from '../../lib/http/response-headers.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import { type Refusal, SENTENCES } from './refusals.ts'

/** `X-Api-Key` is missing on purpose: no browser may send an owner key across origins. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Paywall-Id, X-SDK-Version, X-Client-Ip'
/** How long a browser may remember a preflight, in seconds: the most that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200

/** A refusal by the gateway itself, as JSON. */
export function refuseInJson(
  refusal: Refusal,
  requestId: string,
  { saysCode, headers }: { saysCode: boolean | undefined; headers: Record<string, string> },
): Response {
  const [status, error] = sharedWords[refusal]
  const body = { error, ...(saysCode && { code: error }) }
  return withCommonHeaders(Response.json(body, { status, headers }), requestId)
}

/** The same to a person, as a page. */
export async function refuseInWords(
  refusal: Refusal,
  requestId: string,
  headers: Record<string, string>,
): Promise<Response> {
  const [status] = sharedWords[refusal]
  const ofPage = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': await refusalPolicy() }
  const response = new Response(refusalPage(SENTENCES[refusal]), { status, headers: { ...headers, ...ofPage } })
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
export function withCommonHeaders(response: Response, requestId: string): Response {
  addCommonHeaders(response.headers, requestId)
  return response
}
