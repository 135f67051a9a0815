import type { EventEntity } from '@freemius/sdk'
import type { EventRecord } from '../../core/domain/records.ts'
import { eventOwn } from '../own.ts'
import { dateTime, type Full } from './wire.ts'

/** An event, the same in a webhook and in the API. `objects` are as they were when the event happened. */
export interface FreemiusEvent extends Omit<Full<EventEntity>, 'developer_id'> {
  objects: Record<string, unknown>
}

/** An event that is still to be delivered to somebody is `pending`. */
export function eventObject(event: EventRecord, { pending }: { pending: number }): FreemiusEvent {
  const { data, user, trigger } = eventOwn(event)
  const created = dateTime(event.created)
  return {
    ...{ id: event.id, type: event.type, created, updated: null },
    ...{ plugin_id: event.account, user_id: user, install_id: null },
    data,
    event_trigger: trigger,
    state: pending > 0 ? 'pending' : 'processed',
    process_time: pending > 0 ? null : created,
    objects: event.object,
  }
}
