import type * as z from 'zod'
import { previewPlanChange, recordPlanQuote } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { type ProcessorEnv, processorFor } from '../../lib/processors/client.ts'
import type { Preview } from './contract.ts'
import { type PreviewResult, toPlanChange } from './requested-change.ts'
import { toError } from './to-error.ts'

/** The caller, and the change that it requests: the parameters of preview_plan_change. */
type PreviewParameters = Parameters<typeof previewPlanChange>[1]

/**
 * Returns what a change of plan would cost, as a quote.
 *
 * @throws ApiError, ProcessorError
 */
export async function previewChange(
  db: Database,
  env: ProcessorEnv,
  parameters: PreviewParameters,
): Promise<z.input<typeof Preview>> {
  const row = await previewPlanChange<PreviewResult>(db, parameters)
  if (row.verdict !== 'quoted') throw toError(row)
  const { change } = row
  using processor = processorFor(change.account, env)
  const preview = await processor.previewPlanChange(toPlanChange(change))
  if (preview === null) throw toError({ verdict: 'unsupported', acquiring: change.account.acquiring })
  const { currency, dueNow, credit, effectiveAt, next, isEstimate } = preview
  await recordPlanQuote(db, { ownerId: change.owner_id, changeId: change.id, dueNow })
  return {
    quote: change.id,
    subscription_id: change.subscription_id,
    from: change.from,
    to: change.to,
    when: change.takes_effect,
    effective_at: effectiveAt.toISOString(),
    due_now: { amount: dueNow, currency },
    credit: { amount: credit, currency },
    next: { amount: next.amount, currency, at: next.at.toISOString() },
    estimate: isEstimate,
    undoes_cancellation: change.is_cancelled,
    expires_at: change.expires_at,
  }
}
