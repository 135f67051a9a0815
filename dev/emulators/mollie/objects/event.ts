import { dateTime } from '../dates.ts'
import type { EventRecord } from '../records.ts'
import { documentation, hal } from './wire.ts'

/** An event, as a webhook brings it. `_embedded.entity` is the object, in the API's shape, as it was at the event. */
export interface MollieEvent {
  resource: 'event'
  id: string
  type: string
  entityId: string
  createdAt: string
  _embedded: { entity: EventRecord['entity'] }
  _links: Record<'self' | 'documentation', { href: string; type: string }>
}

export function eventObject(event: EventRecord, url: string): MollieEvent {
  return {
    resource: 'event',
    id: event.id,
    type: event.type,
    entityId: event.entity.id,
    createdAt: dateTime(event.created),
    _embedded: { entity: event.entity },
    _links: { self: hal(`${url}/v2/events/${event.id}`), documentation: documentation('webhooks-new') },
  }
}
