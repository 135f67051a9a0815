import { connect } from '../../lib/db/connect.ts'
import { reconcile } from './reconcile.ts'

type Env = Cloudflare.ReconcileEnv

/**
 * Asks processors about what they should have told us by now: a webhook that was lost for good, and a buyer who never
 * came back, cost time but no purchase.
 */
export default {
  async scheduled(_event, env) {
    const queued = await reconcile(connect(env), env)
    if (queued > 0) await env.EVENTS.send({ queued })
  },
} satisfies ExportedHandler<Env>
