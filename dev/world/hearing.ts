import { setTimeout as delay } from 'node:timers/promises'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import type { World } from './world.ts'

/** How long webhooks may take to arrive, before it counts what came of them so far. */
const QUIET_MS = 10_000

/** Does something, and gives the types of the events of a paywall that were told because of it, in order. */
export async function eventsOf(world: World, paywallId: string, act: () => Promise<void>): Promise<string[]> {
  const { rows } = await world.database.query<{ now: string }>('select clock_timestamp()::text as now')
  await act()
  const drained = Promise.all(ACQUIRING.map((acquiring) => world[acquiring].drainWebhooks()))
  await Promise.race([drained, delay(QUIET_MS, undefined, { ref: false })])
  await world.clock.catchUp(paywallId)
  const events = await world.database.query<{ type: string }>(
    `select e.type from events e where e.paywall_id = $1 and e.created_at >= $2::timestamptz
     order by e.created_at, e.sequence`,
    [paywallId, rows[0]?.now],
  )
  return events.rows.map(({ type }) => type)
}
