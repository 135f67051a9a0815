import { WorkerEntrypoint } from 'cloudflare:workers'
import { oldestDue } from '../../generated/calls.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import type { WakeMessage } from '../../lib/events/wake.ts'
import { newWebhookSecret, type WebhookSecretsRpc, webhookContext } from '../../lib/events/webhook-secret.ts'
import { log } from '../../lib/log/log.ts'
import { deliverDue } from './deliver-due.ts'
import type { PostOptions } from './post-event.ts'

type Env = Cloudflare.DeliverEventsEnv

/** Deliveries that have been due for longer are logged as a warning. */
const LATE_SECONDS = 5

/**
 * How long a run keeps starting attempts after its messages were returned to the queue, in milliseconds. An invocation may run for 30 s
 * after its handler has returned, and the last attempt needs its 15 s and time to be recorded.
 */
const AFTER_HANDLER_MILLISECONDS = 10_000

/**
 * Delivers events to owners' backends. Postgres holds what is due: a queue message only wakes this Worker, and its content is ignored; the
 * cron finds what the queue lost, what a crash left behind, and due retries.
 *
 * A run whose slots are all stuck returns its messages to the queue, so that another invocation with slots of its own continues at once. It
 * also continues itself as soon as a slot is free: only this run polls for what waits behind its own attempts.
 * `queue_consumer_no_wait_for_wait_until` lets the queue continue without waiting for it.
 */
export default class DeliverEvents extends WorkerEntrypoint<Env> implements WebhookSecretsRpc {
  override async queue(batch: MessageBatch<WakeMessage>): Promise<void> {
    log('info', 'deliver-events woken', { request_ids: batch.messages.flatMap(({ body }) => body.request_id ?? []) })
    const stuck = Promise.withResolvers<'stuck'>()
    const delivering = deliverDue(connect(this.env), postOptions(this.env), () => {
      stuck.resolve('stuck')
      return AFTER_HANDLER_MILLISECONDS
    })
    this.ctx.waitUntil(delivering)
    if ((await Promise.race([delivering, stuck.promise])) === 'stuck') batch.retryAll()
  }

  override async scheduled(): Promise<void> {
    const db = connect(this.env)
    const oldest_due_seconds = await oldestDueSeconds(db)
    if (oldest_due_seconds === null) return
    // Logged before the run, so that the line exists even if the run fails.
    if (oldest_due_seconds > LATE_SECONDS) log('warn', 'deliveries are late', { oldest_due_seconds })
    else log('info', 'deliveries are due', { oldest_due_seconds })
    const attempts = await deliverDue(db, postOptions(this.env))
    log('info', 'deliveries attempted', { attempts })
  }

  /** For the console, which rotates secrets and cannot decrypt any. */
  async newSecret(url: string): Promise<{ secret: string; sealed: string }> {
    const secret = newWebhookSecret()
    return { secret, sealed: await seal(secret, this.env.WEBHOOK_SECRETS_KEY, webhookContext(url)) }
  }
}

/** The result of oldest_due for a thousand webhook endpoints; `cursor` is where to continue. */
interface OldestDue {
  seconds: number | null
  cursor: string | null
}

/** How long the oldest due delivery has been due, in seconds; null if none is due. */
async function oldestDueSeconds(db: Database): Promise<number | null> {
  let oldest: number | null = null
  let after: string | null = null
  do {
    const { seconds, cursor }: OldestDue = await oldestDue<OldestDue>(db, { after })
    if (seconds !== null) oldest = Math.max(oldest ?? 0, seconds)
    after = cursor
  } while (after !== null)
  return oldest
}

const postOptions = (env: Env): PostOptions => ({
  secretsKey: env.WEBHOOK_SECRETS_KEY,
  allowLocal: env.ALLOW_LOCAL_WEBHOOK_ENDPOINTS,
  serviceHost: env.SERVICE_HOST,
})
