// Changes the plan of a claimed subscription:
// 1. change the plan at the processor. If nothing has changed, or that is unknown, give the claim up, so that the next call can retry at once
// 2. record the reply, which calls with the same Idempotency-Key get from now on
// 3. after the response, fetch and store the subscription, even if a webhook reports the change, too: it may be lost
import type * as z from 'zod'
import { finishPlanChange } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { log } from '../../lib/log/log.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'
import { syncLater } from '../../lib/purchases/sync-later.ts'
import { NO_EVENT } from '../../lib/purchases/sync-purchase.ts'
import { type Changed, errors } from './contract.ts'
import { type RequestedChange, toPlanChange } from './requested-change.ts'
import { toError } from './to-error.ts'

/**
 * Changes the claimed plan at its processor and returns the response's JSON. `later` receives the work that continues after the response.
 *
 * @throws ApiError, ProcessorError
 */
export async function changeAtProcessor(
  db: Database,
  env: Cloudflare.ChangePlanEnv,
  holder: string,
  change: RequestedChange,
  later: (work: Promise<unknown>) => void,
): Promise<string> {
  const attempt = { ownerId: change.owner_id, changeId: change.id, holder }
  const processor = processorFor(change.account, env)
  const step = await requestChange(processor, change).catch(async (error) => {
    const hasAnswered = !(error instanceof ProcessorError) || error.answered
    await record(finishPlanChange(db, { ...attempt, hasAnswered }))
    throw error
  })
  const reply = JSON.stringify(toReply(change, step))
  const fetchedAt = await record(finishPlanChange<string | null>(db, { ...attempt, reply }))
  if (fetchedAt) {
    const about = { kind: 'subscription', id: change.processor_id } as const
    later(syncLater({ db, env }, processor, about, { ...NO_EVENT, paywallId: change.account.paywallId, fetchedAt }))
  }
  return reply
}

/** A payment that takes a while, such as a direct debit, takes days. */
const RETRY_AFTER_SECONDS = 3600

/** What remains until the plan is changed: a page where the buyer must pay, or a payment in progress. */
type NextStep = Pick<z.input<typeof Changed>, 'checkoutUrl' | 'pending'>

async function requestChange(processor: Processor, change: RequestedChange): Promise<NextStep> {
  const result = await processor.changePlan(toPlanChange(change), change.due_now)
  switch (result?.outcome) {
    case 'changed':
      return { checkoutUrl: null, pending: false }
    case 'pending':
      return { checkoutUrl: null, pending: true }
    case 'payment_required':
      return { checkoutUrl: result.url, pending: false }
    case 'in_progress':
      throw new ApiError(errors.plan_changing, { retryAfter: RETRY_AFTER_SECONDS })
    case 'declined':
      throw apiError(errors.declined)
    case 'cancelled':
      throw toError({ verdict: 'cancelled', acquiring: change.account.acquiring })
    case 'other_amount':
      throw apiError(errors.quote_expired)
    case undefined:
      throw toError({ verdict: 'unsupported', acquiring: change.account.acquiring })
  }
}

const toReply = (change: RequestedChange, step: NextStep): z.input<typeof Changed> => ({
  subscription_id: change.subscription_id,
  from: change.from,
  to: change.to,
  when: change.takes_effect,
  ...step,
})

/** The caller gets the processor's result even if it cannot be recorded: then the claim expires with its lease. */
async function record<Recorded>(writing: Promise<Recorded>): Promise<Recorded | undefined> {
  try {
    return await writing
  } catch (cause) {
    log('error', 'result of a change of plan not recorded', { cause })
    return undefined
  }
}
