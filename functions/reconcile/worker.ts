import { takePendingRead } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { withRequestId } from '../../lib/log/log.ts'
import type { PendingRead, ReadMessage } from '../../lib/purchases/wake-read.ts'
import { callLimits } from './call-limits.ts'
import type { DueEvents } from './due-reference.ts'
import { endDueGrants } from './end-due-grants.ts'
import { readEvents, reconcile } from './reconcile.ts'

type Env = Cloudflare.ReconcileEnv

/**
 * Polls processors for changes that no webhook has reported: a lost webhook, or a buyer who never returned, costs time but no purchase.
 * Reads for pending events happen at their due times: a queue message only wakes this Worker, and the cron finds what the queue lost. The cron
 * also records the ends of grants.
 */
export default {
  async queue(batch, env) {
    await Promise.all(
      batch.messages.map(({ body: { requestId, ...read } }) => withRequestId(requestId, () => readIfDue(env, read))),
    )
  },
  async scheduled(_event, env) {
    const db = connect(env)
    await wakeDeliverEvents(env, await endDueGrants(db))
    await wakeDeliverEvents(env, await reconcile(db, env))
  },
} satisfies ExportedHandler<Env, ReadMessage>

async function readIfDue(env: Env, read: PendingRead): Promise<void> {
  const db = connect(env)
  const pendingRead = await takePendingRead<DueEvents | null>(db, { ...read, limits: callLimits(env) })
  if (pendingRead) await wakeDeliverEvents(env, await readEvents(db, env, pendingRead))
}
