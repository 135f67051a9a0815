import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { webhooks as Described } from './generated/api.ts'
import { onceEach } from './once-each.ts'

/** The type of an event, such as `subscription.created`. */
export type EventType = keyof Described

/** An event of a type, as it is sent. */
export type PaywallEvent<Type extends EventType = EventType> = {
  [Name in Type]: Described[Name]['post']['requestBody']['content']['application/json'] & { type: Name }
}[Type]

export interface WebhooksOptions {
  /** The webhook endpoint's secret, `whsec_…`; several while it is rotated. */
  secret: string | readonly string[]
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
 * Your webhook endpoint: takes a Request, verifies who sent it, has its event handled once, and gives the Response. 400 for what
 * is not signed with the secret, 500 if the handler threw: then the event is sent again.
 */
export function webhooks({
  secret,
  on,
  once = onceEach(),
  onError = log,
}: WebhooksOptions): (request: Request) => Promise<Response> {
  const verifiers = [secret].flat().map((each) => new Webhook(each))
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const body = await request.text()
    const event = verified(verifiers, body, Object.fromEntries(request.headers))
    if (!event) return new Response('invalid signature', { status: 400 })
    const handler = on[event.type] as ((event: PaywallEvent) => unknown) | undefined
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

/** The event that one of the secrets signs; null if none does. */
function verified(verifiers: Webhook[], body: string, headers: Record<string, string>): PaywallEvent | null {
  for (const verifier of verifiers) {
    try {
      return verifier.verify(body, headers) as PaywallEvent
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
    }
  }
  return null
}
