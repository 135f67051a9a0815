import Stripe from 'stripe'
import * as z from 'zod'
import type { AdapterOptions } from '../adapter.ts'
import { fetchWithTimeout, parseReply, TIMEOUT_MS } from '../rest.ts'

/**
 * Stripe's API, through its SDK. Each call is made at most twice, under the same idempotency key. Only a checkout for a customer that
 * Stripe rejects makes two calls, and may so outlast its claim's lease: then the next attempt repeats both under the same keys.
 */
export function stripeApi(secretKey: string, { base, fetch }: AdapterOptions): Stripe {
  return new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    httpClient: Stripe.createFetchHttpClient(checkedFetch(fetch)),
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(base !== null && address(base)),
  })
}

function address(base: string) {
  const { protocol, hostname, port } = new URL(base)
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port && { port }) } as const
}

/** @throws UnexpectedReply */
export const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown): z.output<Schema> =>
  parseReply('stripe', schema, reply)

/** The response headers that the SDK reads. */
const SEEN_HEADERS = ['request-id', 'retry-after', 'stripe-should-retry']

const ReplyBody = z.looseObject({ error: z.never().optional() })
const ErrorBody = z.object({ error: z.looseObject({}) })

/** Our error codes for a success, and for a failure, that Stripe did not write. */
export const UNEXPECTED = 'unexpected_answer'
export const FOREIGN = 'foreign_error'

/**
 * The SDK decides by the body, whatever the status: JSON without `error` is a success, and JSON with `error` a refusal. It hangs on a body
 * that is no object, and reads a body of any length. So it is only given bodies in Stripe's format, and an error of ours in place of any
 * other.
 */
function checkedFetch(send: typeof fetch): typeof fetch {
  return async function fetchFromStripe(url, request = {}) {
    const reply = await fetchWithTimeout('stripe', send, String(url), request)
    const { status, text, retryAfter } = reply
    const headers = new Headers(SEEN_HEADERS.map((name) => [name, reply.headers.get(name) ?? '']))
    const isExpected = (reply.ok ? ReplyBody : ErrorBody).safeParse(reply.body).success
    // Otherwise the SDK would retry at once.
    if (!isExpected || retryAfter !== null) headers.set('stripe-should-retry', 'false')
    if (isExpected) return new Response(text, { status, headers })
    const error = { type: 'api_error', code: reply.ok ? UNEXPECTED : FOREIGN, message: String(status) }
    return Response.json({ error }, { status: 502, headers })
  }
}
