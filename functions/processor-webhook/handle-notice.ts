// From an unsigned notice to a read: whoever sends it knows the address that we have given the processor for one sale, and nothing
// else is known of them. The read is due once its due time is stored, and shows what is true.
import { keepNotice } from '../../generated/calls.ts'
import type { Notice } from '../../lib/processors/event.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { wakeRead } from '../../lib/purchases/wake-read.ts'
import type { RequestContext } from './handle-event.ts'

/** What keep_notice gives. */
type KeepNoticeResult =
  | { verdict: 'unknown_sale' }
  | { verdict: 'kept'; kind: PurchaseReference['kind']; processor_id: string; wait: number }

export async function handleNotice(
  { db, env, waitUntil }: RequestContext,
  { paywallId, acquiring }: { paywallId: string; acquiring: ProcessorName },
  { checkoutId, pageId }: Notice,
): Promise<void> {
  const kept = await keepNotice<KeepNoticeResult>(db, { paywallId, acquiring, checkoutId, pageId })
  // The sender learns nothing of what there is.
  if (kept.verdict === 'unknown_sale') return
  waitUntil(wakeRead(env, { paywallId, acquiring, kind: kept.kind, processorId: kept.processor_id }, kept.wait))
}
