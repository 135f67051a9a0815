import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../support/call.ts'
import { until } from '../support/until.ts'
import type { FaultInjector } from './fault-injection.ts'
import type { Kill } from './history.ts'
import { endLeases } from './passing-time.ts'
import { isDefinite, tryOnce } from './retry.ts'
import type { Stage } from './stage.ts'

/** How long after a kill the service must respond again. A busy machine takes a few seconds. */
const RECOVERY_SECONDS = 60
/** How long a kill waits for its number of calls. A round may have fewer. */
const WAIT_MS = 1_500

/**
 * Kills the Workers, Postgres or both as `kill -9` does, after a number of calls to processors in the round. Resolves when the service
 * responds to `ask` again.
 */
export async function killInRound(
  stage: Stage,
  { what, after }: Kill,
  faultInjector: FaultInjector,
  ask: () => Promise<Reply>,
): Promise<void> {
  const [first, deadline] = [faultInjector.calls(), Date.now() + WAIT_MS]
  while (faultInjector.calls() < first + after && Date.now() < deadline) await delay(10)
  const back = Promise.all([
    what !== 'workers' && stage.postgres.kill(),
    what !== 'postgres' && stage.world.workers.kill(),
  ])
  const isAnswered = async () => {
    const reply = await tryOnce(ask)
    return reply !== null && isDefinite(reply)
  }
  try {
    await Promise.race([back, delay(RECOVERY_SECONDS * 1000)])
    await until('everybody is answered again', isAnswered, RECOVERY_SECONDS * 1000)
    await endLeases(stage.world)
  } catch {
    stage.faults.push(`nobody is answered any more after a kill of: ${what}`)
  }
}
