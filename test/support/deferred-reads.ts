import { moveAccount } from './passing-time.ts'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

/**
 * Moves the clock to the reads of a paywall's webhooks that were too slow or failed, which are repeated within a minute after the response,
 * and runs them. Only while the processor answers as usual.
 */
export function runDeferredReads(world: TestWorld): Promise<unknown> {
  const { database, clock, paywall } = world
  return until('the deferred reads are done', async () => {
    const now = (await clock.now(paywall.id)).getTime()
    const { rows } = await database.query<{ due_at: Date }>(
      'select due_at from pending_events where paywall_id = $1 and due_at < $2 order by due_at desc limit 1',
      [paywall.id, new Date(now + 60_000)],
    )
    if (!rows[0]) return true
    await moveAccount(world, Math.max(rows[0].due_at.getTime() - now, 0) / 60_000)
    await world.workers.scheduled('reconcile')
    return false
  })
}
