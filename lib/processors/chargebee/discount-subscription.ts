// Discounts a running subscription at Chargebee. A coupon applies to the next invoice, which is that of the next term: an update without a
// change of the items creates none
// (chargebee.com/docs/billing/2.0/kb/product-catalog/why-doesnt-my-fixed-rate-coupon-apply-during-subscription-edits).
import { type DiscountedSubscription, ProcessorError } from '../processor.ts'
import { type Calls, inPath, parse } from './api.ts'
import { DiscountableReply, type DiscountableSubscription } from './objects.ts'
import { isScheduledToEnd } from './translate.ts'

/**
 * See `ProcessorMethods.discountSubscription`. The list of coupons is replaced, so a call that is made twice gives one coupon. The update
 * would remove scheduled changes, and reactivate a subscription that has ended.
 */
export async function discountSubscription(
  { get, post }: Calls,
  { subscriptionId: id, discount }: DiscountedSubscription,
): Promise<'discounted' | null> {
  if (discount === undefined) return null
  const path = `/subscriptions/${inPath(id)}`
  const found = (await get(path, DiscountableReply))?.subscription
  if (!found) throw new ProcessorError('chargebee', 'rejected', 'no such subscription', { answered: true })
  if (hasCoupon(found, discount)) return 'discounted'
  const isFree = found.coupons.length === 0 && found.discounts.length === 0
  if (!isFree || found.has_scheduled_changes || isScheduledToEnd(found)) return null
  const fields = { 'coupon_ids[0]': discount, replace_coupon_list: 'true', reactivate: 'false' }
  const { subscription } = parse(DiscountableReply, await post(`${path}/update_for_items`, fields))
  if (hasCoupon(subscription, discount)) return 'discounted'
  throw new ProcessorError('chargebee', 'unavailable', 'the subscription has no coupon', { answered: true })
}

const hasCoupon = ({ coupons }: DiscountableSubscription, id: string) =>
  coupons.some(({ coupon_id: each }) => each === id)
