import { leaseDeliveries, recordDelivery } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { databaseFailure } from '../../lib/db/unavailable.ts'
import { log } from '../../lib/http/log.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { postEvent } from './post-event.ts'
import { settle } from './settle.ts'

/** A Worker may wait on six connections at once; the sixth is the lease's. */
const SLOTS = 5

/** An invocation ends after 15 minutes; what is under way then needs its timeouts. */
const SWEEP_MILLISECONDS = 10 * 60_000

/** An invocation may make 10,000 subrequests: a lease, a POST and a record for each delivery, and repeated records. */
const SWEEP_DELIVERIES = 2_500

/** Pauses before the outcome is written again while the database is away: an unwritten success is sent twice. */
const RECORD_PAUSES_MILLISECONDS = [250, 1_000, 4_000]

export interface SweepOptions {
  secretsKey: string
  /** Whether endpoints of test paywalls may be on this machine. */
  allowLocal: boolean
  /** The gateway's host, where it is known: no event is sent there. */
  serviceHost: string
}

/**
 * Delivers what is due, several at a time, until nothing is or one invocation has done its share: the rest is for the
 * next. A slot is filled again as soon as it is free, so the next event about a member goes out on the heels of the last.
 */
export async function sweep(db: Database, options: SweepOptions): Promise<void> {
  const holder = crypto.randomUUID()
  const deadline = Date.now() + SWEEP_MILLISECONDS
  const underWay = new Set<Promise<void>>()
  let taken = 0
  try {
    while (true) {
      const free = Date.now() < deadline ? Math.min(SLOTS - underWay.size, SWEEP_DELIVERIES - taken) : 0
      const leased = free > 0 ? await leaseDeliveries<LeasedDelivery[]>(db, { holder, count: free }) : []
      taken += leased.length
      for (const delivery of leased) {
        const attempt = deliver(db, delivery, holder, options).finally(() => underWay.delete(attempt))
        underWay.add(attempt)
      }
      if (underWay.size === 0) return
      await Promise.race(underWay)
    }
  } finally {
    await Promise.all(underWay)
  }
}

/** What record_delivery gives. */
type RecordResult = { recorded: boolean }

async function deliver(db: Database, delivery: LeasedDelivery, holder: string, options: SweepOptions): Promise<void> {
  const startedAt = Date.now()
  const { event_id, endpoint_id, paywall_id, type, attempts } = delivery
  const settlement = settle(await postEvent(delivery, options), attempts, Math.random())
  const { state, status, error, retryInSeconds, disableEndpoint: disable } = settlement
  const outcome = {
    eventId: event_id,
    endpointId: endpoint_id,
    attempts,
    state,
    status,
    error,
    retryInSeconds,
    disable,
  }
  const fields = { event_id, endpoint_id, paywall_id, type, attempts, state, status, cause: error ?? undefined }
  try {
    const { recorded } = await persistently(() => recordDelivery<RecordResult>(db, { ...outcome, holder }))
    const message = recorded ? (error === null ? 'delivered' : 'not delivered') : 'delivery lost its lease'
    log(message === 'delivered' ? 'info' : 'warn', message, { ...fields, milliseconds: Date.now() - startedAt })
  } catch (cause) {
    log('error', 'delivery not recorded: it is made again when its lease ends', { ...fields, cause })
  }
}

/** Tries again while the database is away. Only for a statement that may be repeated. */
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
