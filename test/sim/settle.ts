// Ends a history without further faults: waits for work in progress, runs due work, and delivers all events.
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { runDeferredReads } from '../support/deferred-reads.ts'
import { deliverAfterCrash } from '../support/owner-events.ts'
import { until } from '../support/until.ts'
import type { Cast } from './cast.ts'
import { alignClocks } from './passing-time.ts'
import type { Stage } from './stage.ts'

const LONGEST_SECONDS = 60

/** Stops all faults. Resolves when all webhooks of the processors have arrived, and the owner has received all events. */
export async function settle(stage: Stage, { faultInjector, companies }: Cast): Promise<void> {
  await faultInjector.stop()
  await alignClocks(companies)
  await Promise.all(PROCESSOR_NAMES.map((acquiring) => stage.world[acquiring].drainWebhooks()))
  for (const { worlds } of companies) for (const world of worlds) await runDeferredReads(world)
  await deliverAll(stage)
}

async function deliverAll({ world, faults }: Stage): Promise<void> {
  const isAllDelivered = async () => {
    await deliverAfterCrash(world)
    const { rows } = await world.database.query(
      `select from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
       where d.state = 'pending' and e.is_test limit 1`,
    )
    return rows.length === 0
  }
  try {
    await until('the owner has every event', isAllDelivered, LONGEST_SECONDS * 1000)
  } catch {
    faults.push(`after ${LONGEST_SECONDS} seconds of calm there are events that the owner has not received`)
  }
}
