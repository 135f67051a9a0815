import type { EventRecord } from '../../core/domain/records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { eventOwn } from '../own.ts'
import { API_VERSION } from '../rules.ts'

export type StripeEvent = ReturnType<typeof eventObject>

/** An event, the same in a webhook and in the API. `data.object` is the object as it was when the event happened. */
export function eventObject(event: EventRecord, { pending }: { pending: number }) {
  const { previous, request } = eventOwn(event)
  return {
    ...snakeFields(event, 'id', 'created', 'type'),
    object: 'event' as const,
    api_version: API_VERSION,
    data: { object: event.object, ...(previous && { previous_attributes: previous }) },
    livemode: false as const,
    pending_webhooks: pending,
    request,
  }
}
