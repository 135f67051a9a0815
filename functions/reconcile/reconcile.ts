import { takeDue } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/http/log.ts'
import type { ProcessorEnv } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/registry.ts'
import { catchUp, queuedBy, UNTOLD } from '../../lib/purchases/catch-up.ts'
import type { DueReference } from './due-reference.ts'

/** How many hosted pages, and how many purchases, are taken at a time. */
const BATCH = 20

/** A Worker may wait on six connections at once. */
const SLOTS = 5

/** The next cron comes after 10 minutes, and takes up what is left. */
const RUN_MILLISECONDS = 8 * 60_000

/** An invocation may make 10,000 subrequests; a reference takes six at most, and nine if some are made twice. */
const RUN_REFERENCES = 1_000

/** Looks at everything that is due, or as much of it as one invocation may. Returns how many deliveries now wait. */
export async function reconcile(db: Database, env: ProcessorEnv): Promise<number> {
  const deadline = Date.now() + RUN_MILLISECONDS
  let [looked, queued] = [0, 0]
  while (Date.now() < deadline && looked < RUN_REFERENCES) {
    const due = await takeDue<DueReference[]>(db, { count: BATCH })
    if (due.length === 0) break
    looked += due.length
    queued += await lookAtAll(db, env, due)
  }
  if (looked > 0) log('info', 'reconciled', { looked, queued })
  return queued
}

/** A few at a time: a slot that is free takes the next one, so one that is slow does not hold up the others. */
async function lookAtAll(db: Database, env: ProcessorEnv, due: DueReference[]): Promise<number> {
  const rest = due.values()
  let queued = 0
  const slot = async () => {
    for (const reference of rest) queued += await lookAt(db, env, reference)
  }
  await Promise.all(Array.from({ length: SLOTS }, slot))
  return queued
}

/** A failure is logged and stops none of the others: the row is taken again at its next due time. */
async function lookAt(db: Database, env: ProcessorEnv, due: DueReference): Promise<number> {
  const { kind, id, paywall_id: paywallId, acquiring, credentials } = due
  const fields = { kind, id, paywall_id: paywallId }
  try {
    const processor = await processorFor({ paywallId, acquiring, credentials }, env)
    const about = { kind, id: due.processor_id }
    const stored = await catchUp(db, processor, about, { ...UNTOLD, paywallId, fetchedAt: due.taken_at })
    // A page may have sold nothing, when it is open or has expired. A stored purchase must be there.
    if (!stored && kind !== 'page') log('warn', 'the processor does not have a purchase as ours', fields)
    if (stored?.verdict === 'unknown_checkout') log('warn', 'a purchase without a checkout of ours', fields)
    return queuedBy(stored)
  } catch (cause) {
    log('warn', 'not reconciled', { ...fields, cause })
    return 0
  }
}
