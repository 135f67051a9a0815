import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { dedupeById } from './dedupe-by-id.ts'
import type { webhooks as Described } from './generated/api.ts'
import { type NodeHandler, toNodeHandler } from './node-handler.ts'

/** The type of an event, such as `subscription.created`. */
export type EventType = keyof Described

/** An event as it is delivered. */
export type PaywallEvent<Type extends EventType = EventType> = {
  [Name in Type]: Described[Name]['post']['requestBody']['content']['application/json'] & { type: Name }
}[Type]

/** The longest body, in bytes. A longer one is not read to its end, because anybody may send requests to the endpoint. */
const MAX_BODY_BYTES = 1024 * 1024

export interface WebhooksOptions {
  /** The webhook endpoint's secret, `whsec_…`. Give several during a rotation, or for several webhook endpoints. */
  secret: string | readonly string[]
  /**
   * Whether to accept events of test paywalls, too. Refused by default, so that a purchase with a test card never gives access to your live
   * site. `event.is_test` tells test events apart.
   */
  test?: boolean
  /** Handlers by event type. Events of other types are acknowledged and ignored. If a handler throws, the event is delivered again. */
  on: { [Type in EventType]?: (event: PaywallEvent<Type>) => unknown }
  /**
   * Runs `handle` unless this event id was handled before. By default, ids are kept in memory, so an event may be handled again after a
   * restart. Pass a function that stores ids in your database, in the handler's transaction.
   */
  once?: (id: string, handle: () => Promise<void>) => Promise<void>
  /** Called with what a handler threw. Default: `console.error`. */
  onError?: (error: unknown, event: PaywallEvent) => void
}

/** The same endpoint for `node:http` and Express: `createServer(nodeWebhooks(…))`, or `app.post('/webhooks', nodeWebhooks(…))`. */
export const nodeWebhooks = (options: WebhooksOptions): NodeHandler => toNodeHandler(webhooks(options))

/**
 * Creates your webhook endpoint: a function that verifies a `Request`, handles its event once, and returns the `Response`. 204 once handled;
 * 400 if the signature is invalid or older than five minutes, or for a test event without `test: true`; 413 for more than a megabyte; 500 if
 * the handler threw, in which case the event is delivered again.
 *
 * @throws Error if a secret is malformed
 */
export function webhooks({
  secret,
  test = false,
  on,
  once = dedupeById(),
  onError = log,
}: WebhooksOptions): (request: Request) => Promise<Response> {
  const verifiers = [secret].flat().map((each) => new Webhook(each))
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const body = await readText(request)
    if (body === null) return new Response('body too large', { status: 413 })
    const headers = Object.fromEntries(request.headers)
    const isSignedByUs = verifiers.some((verifier) => isSigned(verifier, body, headers))
    const event = isSignedByUs ? parseEvent(body) : null
    if (!event) return new Response(isSignedByUs ? 'not an event' : 'invalid signature', { status: 400 })
    if (event.is_test && !test)
      return new Response('test event refused: webhooks() needs `test: true`', { status: 400 })
    const handler = Object.hasOwn(on, event.type) ? (on[event.type] as (event: PaywallEvent) => unknown) : undefined
    try {
      if (handler) await once(event.id, async () => void (await handler(event)))
    } catch (error) {
      onError(error, event)
      return new Response(null, { status: 500 })
    }
    return new Response(null, { status: 204 })
  }
}

const log = (error: unknown, { type, id }: PaywallEvent) => console.error(`could not handle ${type} ${id}`, error)

/** Reads the body; null if it is too long. */
async function readText({ body }: Request): Promise<string | null> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length
    if (length > MAX_BODY_BYTES) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(piece.value, { stream: true })
  }
  return text + decoder.decode()
}

/** Whether the signature is valid and at most five minutes old. */
function isSigned(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers, { jsonParse: false })
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}

/** Parses the event; null if the body is none, which another service may have signed with the same secret. */
function parseEvent(body: string): PaywallEvent | null {
  try {
    const event = JSON.parse(body) as Partial<PaywallEvent> | null
    const isEvent =
      typeof event?.id === 'string' && typeof event.type === 'string' && typeof event.is_test === 'boolean'
    return isEvent ? (event as PaywallEvent) : null
  } catch {
    return null
  }
}
