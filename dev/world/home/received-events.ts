import * as z from 'zod'
import type { Received } from '../pages/received.ts'

/** A request that reached the webhook receiver, as home shows it. Without a type and a user if it is not an event. */
export interface ShownEvent {
  id: string
  type: string
  /** The user's e-mail address, or else the user id. */
  user: string
  /** The event's time by the paywall's clock; the time of arrival if it is not an event. */
  at: Date
  arrivedAt: Date
  body: string
  verified: boolean
  webhookId: string
}

const Event = z.object({
  type: z.string(),
  timestamp: z.coerce.date(),
  data: z.object({
    paywall_id: z.string(),
    user: z.object({ id: z.string().nullable(), email: z.string().nullable() }),
  }),
})

/** A paywall's events and all requests that are not events, in the given order. */
export function shownEvents(received: Received[], paywallId: string): ShownEvent[] {
  return received.flatMap((each) => {
    const event = Event.safeParse(parsed(each.body))
    if (event.success && event.data.data.paywall_id !== paywallId) return []
    const { type = '', timestamp, data } = event.data ?? {}
    return {
      id: each.id,
      type,
      user: data?.user.email ?? data?.user.id ?? '',
      at: timestamp ?? each.at,
      arrivedAt: each.at,
      body: formatBody(each),
      verified: each.verified,
      webhookId: each.headers['webhook-id'] ?? '',
    }
  })
}

/** The body, indented if it is JSON. */
export function formatBody({ body }: Received): string {
  const json = parsed(body)
  return json === undefined ? body : JSON.stringify(json, null, 2)
}

/** A curl command that sends the same request, with its signature headers, to a local server. */
export function toCurl({ path, headers, body }: Received): string {
  const signed = Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('webhook-'))
  const lines = signed.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [`curl http://127.0.0.1:3000${path}`, ...lines, `--data-raw ${quoted(body)}`].join(' \\\n  ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
