// Discounts a running subscription at Stripe. `discounts` of an update replaces all of them: docs.stripe.com/api/subscriptions/update. So a
// coupon is set and not added, and a call that is made twice gives one discount.
import type Stripe from 'stripe'
import type { DiscountedSubscription } from '../processor.ts'
import { parse } from './api.ts'
import { unconfirmed } from './charging.ts'
import { DiscountableSubscription } from './objects.ts'

/** The metadata by which a retry finds what an earlier call has done, even if the coupon has been used up since. */
const USE = 'paywall_offer_use'

/**
 * See `ProcessorMethods.discountSubscription`. The phases of a schedule have discounts of their own, so a subscription with one gets none
 * here.
 */
export async function discountSubscription(
  api: Stripe,
  { subscriptionId: id, discount, use }: DiscountedSubscription,
): Promise<'discounted' | null> {
  const found = parse(DiscountableSubscription, await api.subscriptions.retrieve(id))
  if (found.metadata[USE] === use) return 'discounted'
  if (discount === undefined || found.discounts.length > 0 || found.schedule !== null) return null
  const update = { discounts: [{ coupon: discount }], metadata: { [USE]: use } }
  const updated = parse(DiscountableSubscription, await api.subscriptions.update(id, update))
  if (updated.metadata[USE] !== use || updated.discounts.length === 0) throw unconfirmed('there is no discount')
  return 'discounted'
}
