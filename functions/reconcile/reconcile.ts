// Fetches what processors should have told us by now, until nothing is due or the run's time is over:
// 1. take a batch of what is due, in turns between the paywalls. That moves each due time on, so no other run takes the same.
//    What an account may not be asked for yet stays due (allowance.sql)
// 2. fetch each and store it, as a webhook would have done (lib/purchases/sync-purchase.ts), five at a time
import { putOff, recordAccessEnd, takeDue } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { ProcessorError, type PurchaseReference } from '../../lib/processors/processor.ts'
import { pageReference } from '../../lib/purchases/page.ts'
import { type PurchaseContext, type StopOrder, stopCharging } from '../../lib/purchases/stop-charging.ts'
import { NO_EVENT, queuedDeliveries, syncPurchase } from '../../lib/purchases/sync-purchase.ts'
import { callLimits } from './call-limits.ts'
import type { DueEvents, DueReference, Taken } from './due-reference.ts'
import { readPending } from './read-pending.ts'

/** How many hosted pages and purchases are taken at a time. */
const BATCH = 40

/** A Worker may wait on six connections at once. */
const SLOTS = 5

/** The next cron comes after a minute, and takes up what is left. */
const RUN_MILLISECONDS = 50_000

/**
 * An invocation may make 10,000 subrequests. Here a reference takes three, and one more the one time that it is a second
 * trial; what the Worker `processors` asks for it counts there.
 */
const RUN_REFERENCES = 1_000

/** Looks at everything that is due, or as much of it as one invocation may. Returns how many deliveries it has queued. */
export async function reconcile(db: Database, env: Cloudflare.ReconcileEnv): Promise<number> {
  const deadline = Date.now() + RUN_MILLISECONDS
  const until = anywhere()
  let [after, inRound] = [until, 0]
  let [fetches, queued] = [0, 0]
  let wait: number | null = null
  const limits = callLimits(env)
  while (Date.now() < deadline && fetches < RUN_REFERENCES) {
    const taken = await takeDue<Taken>(db, { count: BATCH, after, until, limits })
    const { references, cursor } = taken
    fetches += references.length
    inRound += references.length
    queued += await pollAll(db, env, references)
    if (taken.wait !== null) wait = Math.min(wait ?? taken.wait, taken.wait)
    if (cursor === null && inRound === 0) {
      // All round, and nothing is due but what may not be asked for yet.
      if (wait === null || Date.now() + wait * 1000 > deadline) break
      await scheduler.wait(Math.max(wait, 1) * 1000)
    }
    if (cursor === null) [inRound, wait] = [0, null]
    after = cursor ?? until
  }
  if (fetches > 0) log('info', 'reconciled', { looked: fetches, queued })
  return queued
}

/** Somewhere among the ids of paywalls, which are decimal numbers in the order of texts: so nobody is always the last. */
const anywhere = () => String(Math.random()).slice(2)

/** A few at a time; the slots share what is to be done, so one that is slow holds up no other. */
async function pollAll(db: Database, env: Cloudflare.ReconcileEnv, references: Taken['references']): Promise<number> {
  const rest = references.values()
  const waits = new Map<string, number>()
  let queued = 0
  const slot = async () => {
    for (const reference of rest) {
      const wait = waits.get(reference.account_key)
      if (wait !== undefined) {
        await putOffRead(db, reference, wait)
        continue
      }
      const hold = (seconds: number) => void waits.set(reference.account_key, seconds)
      const found = await (reference.kind === 'events'
        ? readEvents(db, env, reference, hold)
        : poll(db, env, reference, hold))
      // `queued += await …` would forget what other slots have added meanwhile.
      queued += found
    }
  }
  await Promise.all(Array.from({ length: SLOTS }, slot))
  return queued
}

const toReference = (reference: DueReference): PurchaseReference =>
  reference.kind === 'page'
    ? pageReference(reference.processor_id, reference.sale)
    : { kind: reference.kind, id: reference.processor_id, refunds: reference.refunds }

/** Whatever goes wrong with one of them is its own: it comes up again at its next time. */
async function poll(
  db: Database,
  env: Cloudflare.ReconcileEnv,
  reference: DueReference,
  hold: (seconds: number) => void,
): Promise<number> {
  const { kind, id, paywall_id: paywallId } = reference
  const fields = { kind, id, paywall_id: paywallId }
  const context = { db, env }
  let alerted = 0
  try {
    using processor = processorFor(reference.account, env)
    const about = toReference(reference)
    alerted = reference.kind === 'page' ? 0 : await stop(context, reference.stop)
    const { stored } = await syncPurchase(context, processor, about, {
      ...NO_EVENT,
      paywallId,
      fetchedAt: reference.taken_at,
    })
    if (stored?.verdict === 'unknown_checkout') log('warn', 'a purchase without a checkout of ours', fields)
    if (stored) return alerted + queuedDeliveries(stored)
    // A page that is still open or has expired sold nothing. What was bought once cannot be gone.
    if (kind !== 'page') log('warn', 'the processor does not have a purchase as ours', fields)
  } catch (cause) {
    log('warn', 'not reconciled', { ...fields, cause })
    await holdIfAsked(db, reference, cause, hold)
  }
  return alerted + (kind === 'subscription' ? await emitAccessEnd(db, reference) : 0)
}

/** Of a subscription that cannot be read, if its access has ended. Returns how many deliveries were queued. */
async function emitAccessEnd(db: Database, { id, paywall_id: paywallId }: DueReference): Promise<number> {
  try {
    return await recordAccessEnd<number>(db, { purchaseId: id })
  } catch (cause) {
    log('warn', 'subscription.access_ended is not sent yet', { id, paywall_id: paywallId, cause })
    return 0
  }
}

/** Reads what pending events wait for. Whatever goes wrong, they stay pending. */
export async function readEvents(
  db: Database,
  env: Cloudflare.ReconcileEnv,
  read: DueEvents,
  hold: (seconds: number) => void = () => {},
): Promise<number> {
  try {
    return await readPending(db, env, read)
  } catch (cause) {
    log('warn', 'pending events are not applied yet', {
      paywall_id: read.paywall_id,
      events: read.events.length,
      cause,
    })
    await holdIfAsked(db, read, cause, hold)
    return 0
  }
}

/** If the processor asks us to wait, nothing more is asked of the account by then. */
async function holdIfAsked(
  db: Database,
  reference: DueReference | DueEvents,
  cause: unknown,
  hold: (seconds: number) => void,
): Promise<void> {
  if (!(cause instanceof ProcessorError) || cause.retryAfter === null) return
  hold(cause.retryAfter)
  await putOffRead(db, reference, cause.retryAfter)
}

/** Lets a read come up again when its account may be asked. If that fails, it does at its next time. */
async function putOffRead(db: Database, reference: DueReference | DueEvents, seconds: number): Promise<void> {
  const { paywallId, acquiring } = reference.account
  const id = reference.kind === 'events' ? '' : reference.id
  try {
    await putOff(db, { paywallId, acquiring, kind: reference.kind, id, seconds })
  } catch (cause) {
    log('warn', 'a read is not put off', { paywall_id: paywallId, cause })
  }
}

/** Returns how many deliveries were queued because it cannot be stopped. */
async function stop(context: PurchaseContext, order: StopOrder | null): Promise<number> {
  return order ? (await stopCharging(context, order)).queued : 0
}
