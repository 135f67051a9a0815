// A claimed refund, from the processor to the reply:
// 1. refund the payment at the processor. If nothing was returned, or that is unknown, give the claim up, so that a retry may follow at once
// 2. record that the processor has accepted it, and keep the money fact: from now on it counts, whatever fails next
// 3. fetch and store the purchase, so that the reply shows it. If that fails, reconcile does it
// 4. give the claim up: calls with the same Idempotency-Key get the same refund from now on
import { acceptRefund, finishRefund, giveUpRefund } from '../../generated/calls.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { log } from '../../lib/log/log.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { ProcessorError, type RefundResult } from '../../lib/processors/processor.ts'
import { type ClaimedRefund, toRefundOrder } from '../../lib/purchases/refund-order.ts'
import type { PurchaseContext } from '../../lib/purchases/stop-charging.ts'
import { NO_EVENT, queuedDeliveries, syncPurchase } from '../../lib/purchases/sync-purchase.ts'
import type { RefundReply } from './contract.ts'

type Context = PurchaseContext & { env: { EVENTS: Queue } }
type Accepted = Extract<RefundResult, { outcome: 'refunded' }>

/** Why the processor did not return the money. `unsupported`: it cannot. */
export type RefusedRefund = Exclude<RefundResult, Accepted> | { outcome: 'unsupported' }

/**
 * Refunds at the processor, and returns the reply of finish_refund, or why nothing was returned.
 *
 * @throws ProcessorError
 */
export async function refundAtProcessor(
  context: Context,
  holder: string,
  refund: ClaimedRefund,
): Promise<RefusedRefund | { outcome: 'refunded'; reply: RefundReply }> {
  using processor = processorFor(refund.account, context.env)
  const result = await request(context, processor, holder, refund)
  if (result.outcome !== 'refunded') return result
  const { db } = context
  const of = { ownerId: refund.owner_id, refundId: refund.id }
  const { id: processorRefund, amount, fact } = result
  const keptFact = fact && { ...fact, occurred_at: fact.occurredAt }
  const fetchedAt = await acceptRefund<string>(db, { ...of, processorRefund, amount, fact: keptFact })
  await sync(context, processor, refund, result, fetchedAt)
  return { outcome: 'refunded', reply: await finishRefund<RefundReply>(db, of) }
}

async function request(
  { db }: Context,
  processor: Processor,
  holder: string,
  refund: ClaimedRefund,
): Promise<Accepted | RefusedRefund> {
  const giveUp = async (isRefused: boolean, hasAnswered: boolean) => {
    const attempt = { ownerId: refund.owner_id, refundId: refund.id, holder, isRefused, hasAnswered }
    await giveUpRefund(db, attempt).catch((cause) =>
      log('error', 'end of an attempt to refund not recorded', { cause }),
    )
  }
  const result = await processor.refundPayment(toRefundOrder(refund)).catch(async (error) => {
    if (!(error instanceof ProcessorError)) await giveUp(false, true)
    else await giveUp(error.kind !== 'unavailable', error.answered)
    throw error
  })
  if (result?.outcome === 'refunded') return result
  await giveUp(true, true)
  return result ?? { outcome: 'unsupported' }
}

/** The event of a kept fact has this id: see accept-refund.sql. */
const eventId = ({ id }: ClaimedRefund) => `refund ${id}`

async function sync(
  context: Context,
  processor: Processor,
  refund: ClaimedRefund,
  { fact }: Accepted,
  fetchedAt: string,
): Promise<void> {
  const { paywallId } = refund.account
  const trigger = fact ? { ...NO_EVENT, eventId: eventId(refund), payment: fact } : NO_EVENT
  try {
    const { stored } = await syncPurchase(context, processor, refund.about, { ...trigger, paywallId, fetchedAt })
    await wakeDeliverEvents(context.env, queuedDeliveries(stored))
  } catch (cause) {
    log('warn', 'refund not synced yet', { paywall_id: paywallId, acquiring: refund.account.acquiring, cause })
  }
}
