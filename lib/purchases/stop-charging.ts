// A subscription that must never be charged again, because a newer purchase replaces it or the owner has ended it:
// 1. call the processor that sold it. A retry after a crash is harmless
// 2. record the success. On failure the reconcile cron retries, and the owner gets an event after a day
import { recordStop, recordStopFailure } from '../../generated/calls.ts'
import type { Database } from '../db/connect.ts'
import { log } from '../log/log.ts'
import type { SealedAccount } from '../processors/account.ts'
import { type ProcessorEnv, processorFor } from '../processors/client.ts'

/** What a Worker needs to sync purchases at any processor. */
export interface PurchaseContext {
  db: Database
  env: ProcessorEnv
}

/** A subscription to stop: the result of `stop_order_json` in lib/purchases/replaced-purchases.sql. */
export interface StopOrder {
  purchase_id: string
  processor_id: string
  /** Whether it ends at once, even if its period is paid. */
  now: boolean
  account: SealedAccount
}

/** `fetchedAt`: the paywall's time once it was stopped, before a fetch that follows; null if it is not stopped yet. */
export interface Stopped {
  fetchedAt: string | null
  queued: number
}

/** Stops a subscription at its processor. Never throws: a failure is retried by the cron. */
export async function stopCharging({ db, env }: PurchaseContext, order: StopOrder): Promise<Stopped> {
  const { purchase_id: purchaseId, processor_id: id, now, account } = order
  try {
    using processor = processorFor(account, env)
    await (now ? processor.endNow(id) : processor.stopCharging(id))
    return { fetchedAt: await recordStop<string>(db, { purchaseId }), queued: 0 }
  } catch (cause) {
    log('warn', 'subscription not stopped yet', { paywall_id: account.paywallId, purchase_id: purchaseId, cause })
    return { fetchedAt: null, queued: await recordFailure(db, purchaseId) }
  }
}

async function recordFailure(db: Database, purchaseId: string): Promise<number> {
  try {
    return await recordStopFailure<number>(db, { purchaseId })
  } catch (cause) {
    log('error', 'failure to stop a subscription not recorded', { purchase_id: purchaseId, cause })
    return 0
  }
}
