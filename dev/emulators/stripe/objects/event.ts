import type { EventRecord } from '../records.ts'

/** The version the emulator speaks: the one the pinned `stripe` package is made for. */
export const API_VERSION = '2026-10-28.endive'

/** An event, the same in a webhook and in the API. `data.object` is the object as it was when the event happened. */
export interface StripeEvent {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}

export function eventObject(event: EventRecord, pendingWebhooks: number): StripeEvent {
  return {
    id: event.id,
    object: 'event',
    api_version: API_VERSION,
    created: event.created,
    data: { object: event.object, ...(event.previous && { previous_attributes: event.previous }) },
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: event.request,
    type: event.type,
  }
}
