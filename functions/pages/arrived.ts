import type { PurchaseStatus } from '../../lib/processors/processor.ts'

/** The parts of a user's state that `hasArrived` reads. The latest purchase comes first. */
interface Buyer {
  paid: boolean
  purchases: { id: string; status: PurchaseStatus }[]
}

/**
 * Whether what a visitor has just bought is stored, as far as the state shows it: the latest purchase is neither pending nor over. A pack gives
 * no access, and a subscriber who buys one has access before it arrives. `before`: the latest purchase before the checkout, if it is known.
 */
export function hasArrived({ paid, purchases: [latest] }: Buyer, before?: string | null): boolean {
  if (!latest) return paid
  if (latest.id === before) return false
  return latest.status !== 'pending' && (paid || (latest.status !== 'canceled' && latest.status !== 'refunded'))
}
