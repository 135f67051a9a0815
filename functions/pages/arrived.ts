import type { PurchaseStatus } from '../../lib/processors/processor.ts'

/** The parts of a user's state that `hasArrived` reads. The latest purchase comes first. */
interface Buyer {
  paid: boolean
  purchases: { status: PurchaseStatus }[]
}

/**
 * Whether what a visitor has just bought is stored, as far as the state shows it: the latest purchase is neither pending nor over. A pack gives
 * no access, and a subscriber who buys one has access before it arrives.
 */
export function hasArrived({ paid, purchases: [latest] }: Buyer): boolean {
  if (!latest) return paid
  return latest.status !== 'pending' && (paid || (latest.status !== 'canceled' && latest.status !== 'refunded'))
}
