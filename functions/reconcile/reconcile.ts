// Polls whatever should have changed at a processor by now, until nothing is due or the run's time is over:
// 1. take a batch of what is due, round-robin over the paywalls. That advances each due time, so no other run takes the same. What exceeds
//    an account's rate limit stays due (allowance.sql)
// 2. fetch each and store it, as a webhook would have done (lib/purchases/sync-purchase.ts), five at a time
import { deferRead, recordAccessEnd, takeDue } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { ProcessorError, type PurchaseReference } from '../../lib/processors/processor.ts'
import { pageReference } from '../../lib/purchases/page.ts'
import { stopCharging } from '../../lib/purchases/stop-charging.ts'
import { NO_EVENT, queuedDeliveries, syncPurchase } from '../../lib/purchases/sync-purchase.ts'
import { callLimits } from './call-limits.ts'
import type { DueEvents, DueReference, Taken } from './due-reference.ts'
import { readPending } from './read-pending.ts'

/** Number of hosted pages and purchases per batch. */
const BATCH = 40

/** A Worker may have six open connections. */
const SLOTS = 5

/** The next cron starts after a minute and continues. */
const RUN_MILLISECONDS = 50_000

/**
 * An invocation may make 10,000 subrequests. Here a reference needs three, and one more if it is a second trial; the processor calls count
 * in the Worker `processors`.
 */
const RUN_REFERENCES = 1_000

/** Polls everything that is due, within the limits of one invocation. Returns the number of queued deliveries. */
export async function reconcile(db: Database, env: Cloudflare.ReconcileEnv): Promise<number> {
  const deadline = Date.now() + RUN_MILLISECONDS
  const until = randomStart()
  let after = until
  let polledInScan = 0
  let fetches = 0
  let queued = 0
  let wait: number | null = null
  const limits = callLimits(env)
  while (Date.now() < deadline && fetches < RUN_REFERENCES) {
    const taken = await takeDue<Taken>(db, { count: BATCH, after, until, limits })
    const { references, cursor } = taken
    fetches += references.length
    polledInScan += references.length
    queued += await pollAll(db, env, references)
    if (taken.wait !== null) wait = Math.min(wait ?? taken.wait, taken.wait)
    if (cursor === null && polledInScan === 0) {
      // The scan is complete, and everything due is rate-limited.
      if (wait === null || Date.now() + wait * 1000 > deadline) break
      await scheduler.wait(Math.max(wait, 1) * 1000)
    }
    if (cursor === null) {
      polledInScan = 0
      wait = null
    }
    after = cursor ?? until
  }
  if (fetches > 0) log('info', 'reconciled', { polled: fetches, queued })
  return queued
}

/** A random starting point among the ids of paywalls, which are decimal numbers in text order, so that no paywall is always the last. */
const randomStart = () => String(Math.random()).slice(2)

/** Polls a few at a time; the slots share the list, so a slow one does not block the others. */
async function pollAll(db: Database, env: Cloudflare.ReconcileEnv, references: Taken['references']): Promise<number> {
  const rest = references.values()
  const waits = new Map<string, number>()
  let queued = 0
  const slot = async () => {
    for (const reference of rest) {
      const wait = waits.get(reference.account_key)
      if (wait !== undefined) {
        await defer(db, reference, wait)
        continue
      }
      const hold = (seconds: number) => void waits.set(reference.account_key, seconds)
      const found = await (reference.kind === 'events'
        ? readEvents(db, env, reference, hold)
        : poll(db, env, reference, hold))
      // `queued += await …` would lose what other slots have added meanwhile.
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

/** An error affects this reference only, which is polled again at its next due time. */
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
    const stopped = reference.kind === 'page' || !reference.stop ? null : await stopCharging(context, reference.stop)
    alerted = stopped?.queued ?? 0
    const { stored } = await syncPurchase(context, processor, about, {
      ...NO_EVENT,
      paywallId,
      fetchedAt: stopped?.fetchedAt ?? reference.taken_at,
    })
    if (stored?.verdict === 'unknown_checkout') log('warn', 'purchase without a checkout of ours', fields)
    if (stored) return alerted + queuedDeliveries(stored)
    // A page that is open or has expired sold nothing. A purchase, once stored, cannot disappear.
    if (kind !== 'page') log('warn', 'purchase not found at its processor', fields)
  } catch (cause) {
    log('warn', 'reconcile failed', { ...fields, cause })
    await holdIfAsked(db, reference, cause, hold)
  }
  return alerted + (kind === 'subscription' ? await emitAccessEnd(db, reference) : 0)
}

/** For a subscription that cannot be read: emits the event if its access has ended. Returns the number of queued deliveries. */
async function emitAccessEnd(db: Database, { id, paywall_id: paywallId }: DueReference): Promise<number> {
  try {
    return await recordAccessEnd<number>(db, { purchaseId: id })
  } catch (cause) {
    log('warn', 'subscription.access_ended not emitted yet', { id, paywall_id: paywallId, cause })
    return 0
  }
}

/** Reads what pending events wait for. On any error they stay pending. */
export async function readEvents(
  db: Database,
  env: Cloudflare.ReconcileEnv,
  read: DueEvents,
  hold: (seconds: number) => void = () => {},
): Promise<number> {
  try {
    return await readPending(db, env, read)
  } catch (cause) {
    log('warn', 'pending events not applied yet', {
      paywall_id: read.paywall_id,
      events: read.events.length,
      cause,
    })
    await holdIfAsked(db, read, cause, hold)
    return 0
  }
}

/** If the processor asks for a pause (`Retry-After`), this run sends no more calls to the account. */
async function holdIfAsked(
  db: Database,
  reference: DueReference | DueEvents,
  cause: unknown,
  hold: (seconds: number) => void,
): Promise<void> {
  if (!(cause instanceof ProcessorError) || cause.retryAfter === null) return
  hold(cause.retryAfter)
  await defer(db, reference, cause.retryAfter)
}

/** Reschedules a read for when its account may be called again. If that fails, it happens at its next due time. */
async function defer(db: Database, reference: DueReference | DueEvents, seconds: number): Promise<void> {
  const { paywallId, acquiring } = reference.account
  const id = reference.kind === 'events' ? '' : reference.id
  try {
    await deferRead(db, { paywallId, acquiring, kind: reference.kind, id, seconds })
  } catch (cause) {
    log('warn', 'read not deferred', { paywall_id: paywallId, cause })
  }
}
