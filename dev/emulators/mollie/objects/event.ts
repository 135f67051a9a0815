import type { EventRecord } from '../../core/domain/records.ts'
import { dateTime } from '../dates.ts'
import { documentation, hal } from './wire.ts'

/** An event, as a webhook brings it. `_embedded.entity` is the object, in the API's shape, as it was at the event. */
export interface MollieEvent {
  resource: 'event'
  id: string
  type: string
  entityId: string
  createdAt: string
  _embedded: { entity: { id: string } & Record<string, unknown> }
  _links: Record<'self' | 'documentation', { href: string; type: string }>
}

export const eventObject = ({ id, type, object, created }: EventRecord, { url }: { url: string }): MollieEvent => ({
  resource: 'event',
  id,
  type,
  entityId: String(object.id),
  createdAt: dateTime(created),
  _embedded: { entity: { ...object, id: String(object.id) } },
  _links: { self: hal(`${url}/v2/events/${id}`), documentation: documentation('webhooks-new') },
})
