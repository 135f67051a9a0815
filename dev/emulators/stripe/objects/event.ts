import type { EventRecord } from '../../core/domain/records.ts'
import { eventOwn } from '../own.ts'
import { API_VERSION } from '../version.ts'

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

export function eventObject(event: EventRecord, { pending }: { pending: number }): StripeEvent {
  const { previous, request } = eventOwn(event)
  return {
    id: event.id,
    object: 'event',
    api_version: API_VERSION,
    created: event.created,
    data: { object: event.object, ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: pending,
    request,
    type: event.type,
  }
}
