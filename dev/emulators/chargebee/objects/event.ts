import type { EventRecord } from '../../core/domain/records.ts'

/** An event, the same in a webhook and in the API. `content` has the objects as they were when it happened. */
export interface ChargebeeEvent {
  id: string
  occurred_at: number
  source: 'system'
  object: 'event'
  api_version: 'v2'
  content: Record<string, unknown>
  event_type: string
  webhook_status: 'scheduled' | 'succeeded'
}

export const eventObject = (
  { id, created, object, type }: EventRecord,
  { pending }: { pending: number },
): ChargebeeEvent => ({
  id,
  occurred_at: created,
  source: 'system',
  object: 'event',
  api_version: 'v2',
  content: object,
  event_type: type,
  webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
})
