// Ends a purchase for its owner:
// 1. end it here: from now on it gives no access
// 2. have its processor stop charging it, and record that. If that fails, the reconcile cron repeats it
// 3. after the response, fetch and store what the processor has made of it
import type * as z from 'zod'
import { requestPurchaseEnd } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { processorFor } from '../../lib/processors/client.ts'
import type { PurchaseStatus } from '../../lib/processors/processor.ts'
import { type StopOrder, stopCharging } from '../../lib/purchases/stop-charging.ts'
import { syncLater } from '../../lib/purchases/sync-later.ts'
import { NO_EVENT } from '../../lib/purchases/sync-purchase.ts'
import { Body, type EndRefusal, errors, PATH, type Reply } from './contract.ts'

/** `stop` is null if there is nothing to end at the processor. */
type EndResult =
  | { verdict: Exclude<EndRefusal, 'already_ended'> }
  | { verdict: 'already_ended'; status: PurchaseStatus }
  | { verdict: 'ended'; purchase: z.input<typeof Reply>['purchase']; queued: number; stop: StopOrder | null }

const app = createApp<Cloudflare.EndPurchaseEnv>()

app.post(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const { reason } = await parseJson(c.req, Body).catch(rejectInvalidKey)
  const db = connect(c.env)
  const row = await requestPurchaseEnd<EndResult>(db, {
    keyHash,
    ...target,
    purchaseId: c.req.param('purchase'),
    reason,
  })
  if (row.verdict === 'already_ended') throw apiError(errors.already_ended, { status: row.status })
  if (row.verdict !== 'ended') throw apiError(errors[row.verdict])
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  later(wakeDeliverEvents(c.env, row.queued))
  const stopped = row.stop === null || (await stop({ db, env: c.env, later }, row.stop))
  return c.json({ purchase: row.purchase, stopped } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('POST'))

interface EndContext {
  db: Database
  env: Cloudflare.EndPurchaseEnv
  /** Receives the work that continues after the response. */
  later: (work: Promise<unknown>) => void
}

/** Ends a subscription at its processor. Returns whether that has confirmed it. */
async function stop({ later, ...context }: EndContext, order: StopOrder): Promise<boolean> {
  const { fetchedAt, queued } = await stopCharging(context, order)
  later(wakeDeliverEvents(context.env, queued))
  if (fetchedAt === null) return false
  const { account, processor_id: id } = order
  const trigger = { ...NO_EVENT, paywallId: account.paywallId, fetchedAt }
  later(syncLater(context, processorFor(account, context.env), { kind: 'subscription', id }, trigger))
  return true
}

export default app
