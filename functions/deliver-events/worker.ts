import { connect } from '../../lib/db/connect.ts'
import { sweep } from './sweep.ts'

type Env = Cloudflare.DeliverEventsEnv

function deliverDue(env: Env): Promise<void> {
  return sweep(connect(env), {
    secretsKey: env.WEBHOOK_SECRETS_KEY,
    allowLocal: env.ALLOW_LOCAL_ENDPOINTS,
    serviceHost: env.SERVICE_HOST,
  })
}

/**
 * Tells owners' backends what happened. What is due stands in Postgres: a queue message only wakes this Worker, whatever
 * it says, and the cron finds what the queue lost, what a crash left behind, and retries whose time has come.
 */
export default {
  async queue(_batch, env) {
    await deliverDue(env)
  },
  async scheduled(_event, env) {
    await deliverDue(env)
  },
} satisfies ExportedHandler<Env>
