// One attempt of a leased delivery:
// 1. sign the event and send it (post-event.ts)
// 2. if it cannot be signed, no attempt was made: give the lease back and hold the webhook endpoint (hold-delivery.sql)
// 3. decide what follows from the result (attempt-result.ts)
// 4. record it and end the lease (record-delivery.sql), with retries while the database is unavailable
// 5. log it
import { holdDelivery, recordDelivery } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { databaseFailure } from '../../lib/db/unavailable.ts'
import { log } from '../../lib/log/log.ts'
import { decide } from './attempt-result.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { type PostOptions, postEvent } from './post-event.ts'

/** Pauses between retries while the database is unavailable: an event whose success is not recorded is sent twice. */
const RECORD_PAUSES_MILLISECONDS = [250, 1_000, 4_000]

const NOT_RECORDED = 'delivery not recorded: retried when its lease expires'

/** The result of record_delivery. `next_attempt_at` is null if there is no further attempt. */
interface RecordResult {
  recorded: boolean
  next_attempt_at: string | null
}

/** `holder` has leased the delivery. Never throws: if the result is not recorded, the delivery is retried when its lease expires. */
export async function deliver(
  db: Database,
  delivery: LeasedDelivery,
  holder: string,
  options: PostOptions,
): Promise<void> {
  const startedAt = Date.now()
  const { event_id, endpoint_id, paywall_id, type, attempts } = delivery
  const outcome = await postEvent(delivery, options)
  if (outcome === null) return hold(db, delivery, holder)
  const milliseconds = Date.now() - startedAt
  const { status, error, response } = outcome
  const { state, retryInSeconds, disable } = decide(outcome, attempts, Math.random())
  const fields = {
    event_id,
    endpoint_id,
    paywall_id,
    event_type: type,
    attempts,
    state,
    status,
    cause: error ?? undefined,
    milliseconds,
  }
  const record = () =>
    recordDelivery<RecordResult>(db, {
      eventId: event_id,
      endpointId: endpoint_id,
      holder,
      attempts,
      state,
      retryInSeconds,
      disable,
      milliseconds,
      status,
      error,
      response,
    })
  try {
    const { recorded, next_attempt_at } = await persistently(record)
    if (!recorded) log('warn', 'delivery lost its lease', fields)
    else if (state === 'delivered') log('info', 'delivered', fields)
    else log('warn', 'not delivered', { ...fields, next_attempt_at })
  } catch (cause) {
    log('error', NOT_RECORDED, { ...fields, cause })
  }
}

/** Never throws: if it fails, the delivery is leased again when its lease expires. */
async function hold(db: Database, { event_id, endpoint_id, attempts }: LeasedDelivery, holder: string): Promise<void> {
  try {
    await persistently(() => holdDelivery(db, { eventId: event_id, endpointId: endpoint_id, holder, attempts }))
  } catch (cause) {
    log('error', NOT_RECORDED, { event_id, endpoint_id, attempts, cause })
  }
}

/** Retries while the database is unavailable. Only for idempotent statements. */
async function persistently<Result>(statement: () => Promise<Result>): Promise<Result> {
  for (const pause of RECORD_PAUSES_MILLISECONDS) {
    try {
      return await statement()
    } catch (error) {
      if (!databaseFailure(error)) throw error
      await scheduler.wait(pause)
    }
  }
  return await statement()
}
