// Discounts a running subscription at Mollie, which has no discounts: it is charged less from now on, as one that was sold at an offer. The
// read of its last reduced charge sets the price again (translate.ts).
import { type DiscountedSubscription, ProcessorError } from '../processor.ts'
import { type MollieApi, parse } from './api.ts'
import { Subscription } from './objects.ts'
import { isReducedAfter, reducedTerms, reductionFor, requireRenewal, toTotal, toUnits, withoutPlan } from './plan.ts'
import { type Changeable, isPending } from './plan-change.ts'
import { subscriptionPath, updatePlan } from './subscriptions.ts'

/**
 * See `ProcessorMethods.discountSubscription`. The subscription is read once more before it is updated, because a change of plan that comes
 * between would be lost. That only shortens the time: one between that read and the update is lost. The update is one call, which notes the
 * use in the metadata: a retry finds it there.
 */
export async function discountSubscription(
  api: MollieApi,
  found: Changeable,
  { amount, reduction, use }: DiscountedSubscription,
): Promise<'discounted' | null> {
  const { subscription, plan } = found
  if (hasUse(subscription, use)) return 'discounted'
  const price = toTotal(plan.terms)
  if (!reduction || reduction.takenOff >= amount || price.amount !== amount || !isFree(found)) return null
  const current = parse(Subscription, await api.get(subscriptionPath(subscription)))
  if (hasUse(current, use)) return 'discounted'
  if (JSON.stringify(current) !== JSON.stringify(subscription)) {
    throw new ProcessorError('mollie', 'unavailable', 'the subscription is being changed', { answered: true })
  }
  const reduced = { ...reductionFor(price, reduction), use }
  await updatePlan(api, subscription, {
    terms: reducedTerms(plan.terms, reduced),
    metadata: { ...withoutPlan(subscription), ...toUnits(plan.terms), reduction: reduced },
  })
  return 'discounted'
}

const hasUse = (subscription: Subscription, use: string) => requireRenewal(subscription).reduction?.use === use

/** Whether nothing else reduces or changes the coming charges. Mollie changes no suspended subscription. */
const isFree = ({ subscription, plan, charges, differences }: Changeable): boolean =>
  subscription.status === 'active' &&
  plan.scheduled === null &&
  !differences.some(isPending) &&
  !(plan.reduction && isReducedAfter(plan.reduction, charges))
