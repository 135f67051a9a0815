// Fetches what processors should have told us by now, until nothing is due or the run's time is over:
// 1. take a batch of what is due, in turns between the paywalls. That moves each due time on, so no other run takes the same
// 2. fetch each and store it, as a webhook would have done (lib/purchases/catch-up.ts), five at a time
import { takeDue } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/http/log.ts'
import { type ProcessorEnv, processorFor } from '../../lib/processors/client.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import { catchUp, NO_EVENT, queuedBy } from '../../lib/purchases/catch-up.ts'
import { pageReference } from '../../lib/purchases/page.ts'
import type { DueReference, Taken } from './due-reference.ts'

/** How many hosted pages and purchases are taken at a time. */
const BATCH = 40

/** A Worker may wait on six connections at once. */
const SLOTS = 5

/** The next cron comes after 10 minutes, and takes up what is left. */
const RUN_MILLISECONDS = 8 * 60_000

/**
 * An invocation may make 10,000 subrequests. Here a reference takes three, and one more the one time that it is a second
 * trial; what the Worker `processors` asks for it counts there.
 */
const RUN_REFERENCES = 1_000

/** Looks at everything that is due, or as much of it as one invocation may. Returns how many deliveries it has queued. */
export async function reconcile(db: Database, env: ProcessorEnv): Promise<number> {
  const deadline = Date.now() + RUN_MILLISECONDS
  const until = anywhere()
  let [after, inRound] = [until, 0]
  let [fetches, queued] = [0, 0]
  while (Date.now() < deadline && fetches < RUN_REFERENCES) {
    const { references, cursor } = await takeDue<Taken>(db, { count: BATCH, after, until })
    fetches += references.length
    inRound += references.length
    queued += await lookAtAll(db, env, references)
    if (cursor === null && inRound === 0) break // all round, and nothing was due
    if (cursor === null) inRound = 0
    after = cursor ?? until
  }
  if (fetches > 0) log('info', 'reconciled', { looked: fetches, queued })
  return queued
}

/** Somewhere among the ids of paywalls, which are decimal numbers in the order of texts: so nobody is always the last. */
const anywhere = () => String(Math.random()).slice(2)

/** A few at a time; the slots share what is to be done, so one that is slow holds up no other. */
async function lookAtAll(db: Database, env: ProcessorEnv, references: DueReference[]): Promise<number> {
  const rest = references.values()
  let queued = 0
  const slot = async () => {
    for (const reference of rest) queued += await lookAt(db, env, reference)
  }
  await Promise.all(Array.from({ length: SLOTS }, slot))
  return queued
}

const aboutOf = (reference: DueReference): PurchaseReference =>
  reference.kind === 'page'
    ? pageReference(reference.processor_id, reference.sale)
    : { kind: reference.kind, id: reference.processor_id }

/** Whatever goes wrong with one of them is its own: it comes up again at its next time. */
async function lookAt(db: Database, env: ProcessorEnv, reference: DueReference): Promise<number> {
  const { kind, id, paywall_id: paywallId } = reference
  const fields = { kind, id, paywall_id: paywallId }
  try {
    using processor = processorFor(reference.account, env)
    const about = aboutOf(reference)
    const { stored } = await catchUp(db, processor, about, { ...NO_EVENT, paywallId, fetchedAt: reference.taken_at })
    // A page that is still open or has expired sold nothing. What was bought once cannot be gone.
    if (!stored && kind !== 'page') log('warn', 'the processor does not have a purchase as ours', fields)
    if (stored?.verdict === 'unknown_checkout') log('warn', 'a purchase without a checkout of ours', fields)
    return queuedBy(stored)
  } catch (cause) {
    log('warn', 'not reconciled', { ...fields, cause })
    return 0
  }
}
