import { log } from '../../lib/log/log.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import {
  type CompletedRefund,
  type FetchedPurchase,
  type PaymentFact,
  ProcessorError,
  type PurchaseReference,
} from '../../lib/processors/processor.ts'

/**
 * Maximum number of acts per call. More are needed only after many concurrent callers have created subscriptions of the same purchase; the
 * next read continues.
 */
const MOST_ACTS = 5

/**
 * Reads the current purchase: observes it, decides, performs what is still to be done at the processor and observes it again. Stops when an
 * act had no effect, as when the processor refuses: then the next read retries. A purchase that may be stored before its act is returned
 * even if the processor is unavailable for the act: its buyer has paid.
 *
 * @throws ProcessorError
 */
export async function readPurchase(
  adapter: Adapter,
  paywallId: string,
  reference: PurchaseReference,
  now: () => Date,
): Promise<FetchedPurchase> {
  let done: unknown = null
  for (let acts = 0; ; acts++) {
    const observed = await adapter.observe(reference)
    if (observed === null) return { purchase: null, isUndecided: false }
    const {
      found,
      isUndecided,
      todo,
      mayActLater = false,
      payments,
      receiptUrl,
      versions,
    } = adapter.decide(observed, now())
    // Paywalls may share an account: only the one that sold a purchase acts on it.
    if (found && found.paywallId !== null && found.paywallId !== paywallId) {
      return { purchase: null, isUndecided, ...(versions && { versions }) }
    }
    const read = {
      purchase: found?.purchase ?? null,
      isUndecided,
      ...(payments && { payments }),
      ...(receiptUrl && { receiptUrl }),
      ...(versions && { versions }),
    }
    if (todo === null || acts === MOST_ACTS || isSame(todo, done)) return read
    try {
      await adapter.act(todo)
    } catch (cause) {
      if (!mayActLater || !(cause instanceof ProcessorError && cause.kind === 'unavailable')) throw cause
      const { acquiring, retryAfter } = cause
      log('warn', 'purchase stored before it is complete at the processor', { paywall_id: paywallId, acquiring, cause })
      return { ...read, unfinished: { retryAfter } }
    }
    done = todo
  }
}

/** The current purchase, with those of the requested refunds that have failed; the time of the failure is not known. */
export async function readWithRefunds(
  adapter: Adapter,
  paywallId: string,
  reference: PurchaseReference,
  now: () => Date,
): Promise<FetchedPurchase> {
  const read = await readPurchase(adapter, paywallId, reference, now)
  const refunds = (reference.kind !== 'page' && reference.refunds) || []
  if (refunds.length === 0 || read.purchase === null) return read
  return { ...read, payments: [...(read.payments ?? []), ...(await failedRefundFacts(adapter, refunds, now))] }
}

async function failedRefundFacts(
  adapter: Adapter,
  refunds: CompletedRefund[],
  now: () => Date,
): Promise<PaymentFact[]> {
  const failed = (await adapter.failedRefunds?.(refunds.map(({ id }) => id))) ?? []
  return refunds.flatMap((refund) =>
    failed.includes(refund.id) ? [{ ...refund, kind: 'refund_failed', occurredAt: now() }] : [],
  )
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
