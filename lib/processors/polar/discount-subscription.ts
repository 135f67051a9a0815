// Discounts a running subscription at Polar, which has one discount at most. A new one is counted from the next period: `_discount_set` in
// server/polar/models/subscription.py.
import type { PolarCore } from '@polar-sh/sdk/2026-10'
import { updateSubscriptions } from '@polar-sh/sdk/2026-10/services/subscriptions'
import { type DiscountedSubscription, ProcessorError } from '../processor.ts'
import { PolarRefusal, parse } from './api.ts'
import { DiscountableSubscription } from './objects.ts'

/**
 * See `ProcessorMethods.discountSubscription`. Polar would replace another discount, and refuses one that the subscription has already
 * (`resolve_discount` in server/polar/subscription/service.py).
 */
export async function discountSubscription(
  api: PolarCore,
  { subscriptionId: id, discount }: DiscountedSubscription,
): Promise<'discounted' | null> {
  if (discount === undefined) return null
  // Polar answers an empty change from its primary database, and a GET from a replica, which may not show an earlier attempt yet.
  const found = parse(DiscountableSubscription, await updateSubscriptions(api)(id, {}))
  if (found.discount?.id === discount) return 'discounted'
  if (found.discount !== null || found.pending_update !== null) return null
  const updated = await setDiscount(api, id, discount)
  if (updated.discount?.id === discount) return 'discounted'
  throw new ProcessorError('polar', 'unavailable', 'the subscription has no discount', { answered: true })
}

/** Returns the subscription afterwards. A concurrent call may have set the discount meanwhile, which Polar refuses to repeat. */
async function setDiscount(api: PolarCore, id: string, discount: string): Promise<DiscountableSubscription> {
  try {
    return parse(DiscountableSubscription, await updateSubscriptions(api)(id, { discount_id: discount }))
  } catch (error) {
    if (!(error instanceof PolarRefusal) || !error.fields.includes('body.discount_id')) throw error
    const current = parse(DiscountableSubscription, await updateSubscriptions(api)(id, {}))
    if (current.discount?.id !== discount) throw error
    return current
  }
}
