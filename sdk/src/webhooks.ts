import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { webhooks as Described } from './generated/api.ts'
import { onceEach } from './once-each.ts'

/** The type of an event, such as `subscription.created`. */
export type EventType = keyof Described

/** An event of a type, as it is sent. */
export type PaywallEvent<Type extends EventType = EventType> = {
  [Name in Type]: Described[Name]['post']['requestBody']['content']['application/json'] & { type: Name }
}[Type]

/** What is longer, in bytes, is no event. It is not read to its end, since whoever knows the address may send it. */
const LONGEST_BODY = 1024 * 1024

export interface WebhooksOptions {
  /** The webhook endpoint's secret, `whsec_…`; several while it is rotated, or for several webhook endpoints. */
  secret: string | readonly string[]
  /**
   * Whether test events are taken, too: those of test paywalls, where no money is real. Without it they are refused, so that nothing
   * that is bought with a test card gives anybody access to your live site. `event.is_test` says which an event is.
   */
  test?: boolean
  /** What to do with an event of each type. Other types are taken and left alone. One that throws is sent again. */
  on: { [Type in EventType]?: (event: PaywallEvent<Type>) => unknown }
  /**
   * Runs `handle` unless it has run for this event id before. Without it, ids are remembered in memory, so that an event may be
   * handled again after a restart: give this to remember them in your database, in the transaction of the handler.
   */
  once?: (id: string, handle: () => Promise<void>) => Promise<void>
  /** Is told what a handler threw; `console.error` if it is left out. */
  onError?: (error: unknown, event: PaywallEvent) => void
}

/**
 * Your webhook endpoint: takes a Request, verifies who sent it, has its event handled once, and gives the Response. 204 when that is
 * done; 400 for what is not signed with the secret, was signed more than five minutes ago, or is a test event where none are taken; 413
 * for more than a megabyte; 500 if the handler threw: then the event is sent again.
 *
 * @throws Error if a secret is none
 */
export function webhooks({
  secret,
  test = false,
  on,
  once = onceEach(),
  onError = log,
}: WebhooksOptions): (request: Request) => Promise<Response> {
  const verifiers = [secret].flat().map((each) => new Webhook(each))
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const body = await readText(request)
    if (body === null) return new Response('too long', { status: 413 })
    const headers = Object.fromEntries(request.headers)
    const isOurs = verifiers.some((verifier) => isSigned(verifier, body, headers))
    const event = isOurs ? eventIn(body) : null
    if (!event) return new Response(isOurs ? 'no event' : 'invalid signature', { status: 400 })
    if (event.is_test && !test) return new Response('a test event, and webhooks() has no `test: true`', { status: 400 })
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

const log = (error: unknown, { type, id }: PaywallEvent) => console.error(`${type} ${id} was not handled`, error)

/** The body; null if it is longer than any event. */
async function readText({ body }: Request): Promise<string | null> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length
    if (length > LONGEST_BODY) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(piece.value, { stream: true })
  }
  return text + decoder.decode()
}

/** Whether this is what a secret signs, and was sent within the last five minutes. */
function isSigned(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers, { jsonParse: false })
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}

/** The event that a body says; null if it says none, which another service may have signed with the same secret. */
function eventIn(body: string): PaywallEvent | null {
  try {
    const said = JSON.parse(body) as Partial<PaywallEvent> | null
    const isEvent = typeof said?.id === 'string' && typeof said.type === 'string' && typeof said.is_test === 'boolean'
    return isEvent ? (said as PaywallEvent) : null
  } catch {
    return null
  }
}
