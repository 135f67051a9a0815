import type { Database } from '../db/connect.ts'
import { type Learnt, type Stored, storePurchase } from '../db/store-purchase.sql.ts'
import type { Processor, PurchaseReference } from '../processors/processor.ts'

/** What is known of a purchase besides what the processor says when it is asked. */
export type Hint = Omit<Learnt, 'acquiring' | 'snapshot'>

/** Nobody told us: we looked. */
export const UNTOLD = { eventId: null, payment: null, trialEnding: false } satisfies Partial<Hint>

/**
 * The one path by which a purchase gets here, whatever made us look: it is fetched as it is now, and stored. Null if
 * there is none: nothing was bought yet, or the sale is not the paywall's. May be repeated.
 *
 * @throws ProcessorError
 */
export async function catchUp(
  db: Database,
  processor: Processor,
  about: PurchaseReference,
  hint: Hint,
): Promise<Stored | null> {
  const snapshot = await processor.fetchPurchase(about)
  return snapshot && storePurchase(db, { ...hint, acquiring: processor.acquiring, snapshot })
}
