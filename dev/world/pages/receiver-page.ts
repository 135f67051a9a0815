import { type Entry, livePage } from './live-page.ts'
import type { Received } from './received.ts'

/** The page of the webhooks, in the order given. */
export function receiverPage(received: Received[]): string {
  return livePage({ title: 'Webhooks received', none: 'None yet. Buy something.', entries: received.map(entry) })
}

function entry({ at, headers, body, verified }: Received): Entry {
  const signature = verified
    ? 'signature verified'
    : { html: '<span class="bad">signature fits no secret of a webhook endpoint</span>' }
  return { title: typeOf(body), at, facts: [headers['webhook-id'] ?? 'no webhook-id', signature], body: indented(body) }
}

function typeOf(body: string): string {
  const event = parsed(body)
  return event && typeof event === 'object' && 'type' in event ? String(event.type) : 'not an event'
}

function indented(body: string): string {
  return parsed(body) === undefined ? body : JSON.stringify(parsed(body), null, 2)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
