// From an unsigned notice to a read: its sender knows the webhook URL that we gave the processor for one sale, and nothing else is known
// about the sender. The notice only schedules a read, which shows the actual state.
import { keepNotice } from '../../generated/calls.ts'
import type { Notice } from '../../lib/processors/event.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { wakeRead } from '../../lib/purchases/wake-read.ts'
import type { RequestContext } from './handle-event.ts'

type KeepNoticeResult =
  | { verdict: 'unknown_sale' }
  | { verdict: 'kept'; kind: PurchaseReference['kind']; processor_id: string; wait: number }

export async function handleNotice(
  { db, env, waitUntil }: RequestContext,
  { paywallId, acquiring }: { paywallId: string; acquiring: ProcessorName },
  { checkoutId, pageId }: Notice,
): Promise<void> {
  const kept = await keepNotice<KeepNoticeResult>(db, { paywallId, acquiring, checkoutId, pageId })
  // Do not reveal to the sender whether the sale exists.
  if (kept.verdict === 'unknown_sale') return
  waitUntil(wakeRead(env, { paywallId, acquiring, kind: kept.kind, processorId: kept.processor_id }, kept.wait))
}
