import { oldestDue } from '../../generated/calls.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/http/log.ts'
import { type SweepResult, sweep } from './sweep.ts'

type Env = Cloudflare.DeliverEventsEnv

/** What is due for longer is worth a line in the log. */
const LATE_SECONDS = 5

function deliverDue(db: Database, env: Env): Promise<SweepResult> {
  return sweep(db, {
    secretsKey: env.WEBHOOK_SECRETS_KEY,
    allowLocal: env.ALLOW_LOCAL_ENDPOINTS,
    serviceHost: env.SERVICE_HOST,
  })
}

/**
 * Tells owners' backends what happened. What is due stands in Postgres: a queue message only wakes this Worker, whatever
 * it says, and the cron finds what the queue lost, what a crash left behind, and retries whose time has come.
 *
 * A sweep whose slots are all stuck gives its messages back, so that another invocation with slots of its own goes on at
 * once. Its attempts end meanwhile: `queue_consumer_no_wait_for_wait_until` lets the queue go on without them.
 */
export default {
  async queue(batch, env, ctx) {
    const { finished, ended } = await deliverDue(connect(env), env)
    ctx.waitUntil(ended)
    if (!finished) batch.retryAll()
  },
  async scheduled(_event, env) {
    const db = connect(env)
    const oldest_due_seconds = await oldestDue<number | null>(db)
    if (oldest_due_seconds === null) return
    const { attempts, finished, ended } = await deliverDue(db, env)
    await ended
    if (oldest_due_seconds > LATE_SECONDS)
      log('warn', 'deliveries are late', { oldest_due_seconds, attempts, finished })
  },
} satisfies ExportedHandler<Env>
