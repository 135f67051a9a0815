import { endDueGrants as callEndDueGrants } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'

/** Number of grants per call, which stays well within its timeout. */
const BATCH = 25

/** The next cron continues after a minute. */
const MAX_BATCHES = 100

/**
 * Records the ends of grants whose time is over, each with its event: see end-due-grants.sql. Returns the number of queued deliveries. On an
 * error the rest is left to the next cron.
 */
export async function endDueGrants(db: Database): Promise<number> {
  let queued = 0
  try {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const done = await callEndDueGrants<{ ended: number; queued: number }>(db, { count: BATCH })
      queued += done.queued
      if (done.ended < BATCH) break
    }
  } catch (cause) {
    log('warn', 'ends of grants not recorded yet', { cause })
  }
  return queued
}
