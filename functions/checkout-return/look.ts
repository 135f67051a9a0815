import type { Database } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { log } from '../../lib/http/log.ts'
import type { Processor } from '../../lib/processors/client.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import { type CaughtUp, catchUp, NO_EVENT, queuedBy } from '../../lib/purchases/catch-up.ts'

/** How long the browser may be kept waiting for the processor, in milliseconds; then the webhook catches up. */
const TIMEOUT_MS = 2_500

interface Asking {
  db: Database
  env: Cloudflare.CheckoutReturnEnv
  context: Pick<ExecutionContext, 'waitUntil'>
  /** Disposed of when the fetch is over, which may be after the response. */
  processor: Processor
}

/**
 * Fetches what a browser comes back from and stores it. Null if that fails, or takes too long: then it goes on after the response.
 *
 * @param fetchedAt The database's time before the fetch
 */
export function lookInTime(
  asking: Asking,
  about: PurchaseReference,
  { paywallId, fetchedAt }: { paywallId: string; fetchedAt: string },
): Promise<CaughtUp | null> {
  const looked = look(asking, about, { ...NO_EVENT, paywallId, fetchedAt }).catch((cause) => {
    log('warn', 'a returning browser goes on before its purchase is stored', { paywall_id: paywallId, cause })
    return null
  })
  asking.context.waitUntil(looked)
  return Promise.race([looked, scheduler.wait(TIMEOUT_MS).then(() => null)])
}

async function look(
  { db, env, context, processor }: Asking,
  about: PurchaseReference,
  hint: Parameters<typeof catchUp>[3],
): Promise<CaughtUp> {
  using own = processor
  const caughtUp = await catchUp({ db, env }, own, about, hint)
  context.waitUntil(wakeDeliverEvents(env, queuedBy(caughtUp.stored)))
  return caughtUp
}
