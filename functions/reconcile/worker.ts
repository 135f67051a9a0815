import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { reconcile } from './reconcile.ts'

type Env = Cloudflare.ReconcileEnv

/**
 * Asks processors about what they should have told us by now: a webhook that was lost for good, and a buyer who never
 * came back, cost time but no purchase.
 */
export default {
  async scheduled(_event, env) {
    await wakeDeliverEvents(env, await reconcile(connect(env), env))
  },
} satisfies ExportedHandler<Env>
