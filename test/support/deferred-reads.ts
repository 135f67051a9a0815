import { until } from './until.ts'
import type { TestWorld } from './world.ts'

/**
 * Waits for the reads of a paywall's webhooks that were too slow or failed, and that are repeated within a minute after the response. Only
 * while the processor answers as usual.
 */
export function waitForDeferredReads({ database, clock }: Pick<TestWorld, 'database' | 'clock'>, paywallId: string) {
  return until('the deferred reads are done', async () => {
    const { rowCount } = await database.query(
      "select from pending_events where paywall_id = $1 and due_at < $2::timestamptz + interval '1 minute'",
      [paywallId, await clock.now(paywallId)],
    )
    return rowCount === 0
  })
}
