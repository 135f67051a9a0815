import { isDeepStrictEqual } from 'node:util'
import { Changed } from '../../../functions/change-plan/contract.ts'
import { paysEveryChangeOnPage } from '../../conformance/drivers/plans.ts'
import type { PartialLife } from '../parts.ts'
import type { QuotedChange } from '../person.ts'
import type { Invariant } from './case.ts'

/** An estimate changes by the second, and a person on a slow machine takes minutes to decide. */
const tolerance = (amount: number) => Math.max(2, amount / 1000)

/** A change of plan charges what was shown, if the quote is still valid, and makes the change. Or it is refused, and does nothing. */
export const QUOTES: Invariant = {
  name: 'quotes',
  faults: ({ company: { quotedChanges, life } }) =>
    quotedChanges.flatMap((change) =>
      findFaults(change, life).map((fault) => `the quote ${change.shown.quote} ${fault}`),
    ),
}

/**
 * Whether a sum was previewed, or is what a page charges that calculates the amount anew. The page knows what no preview does: the coupon
 * that the buyer enters there, the tax if nothing was paid before, and the credit for what was paid since the preview.
 */
function isPreviewed(sum: number, change: QuotedChange, { processor, setup: { terms } }: PartialLife): boolean {
  const { due_now: due, estimate } = change.shown
  const isBetween = (least: number, most: number) => {
    const rounding = estimate ? tolerance(most) : 0
    return sum >= least - rounding && sum <= most + rounding
  }
  if (isBetween(due.amount, due.amount) || !paysEveryChangeOnPage(processor)) return isBetween(due.amount, due.amount)
  const isTaxKnown = change.before.every(({ status }) => status !== 'trialing')
  const { taxPercent, percentOff } = terms ?? { taxPercent: 0, percentOff: 0 }
  const share = (100 - percentOff + (isTaxKnown ? 0 : taxPercent)) / 100
  return isBetween(Math.max(0, due.amount - change.paidSince) * share, due.amount * share)
}

function findFaults(change: QuotedChange, life: PartialLife): string[] {
  const { shown, at, reply, charged } = change
  const { due_now: due, expires_at: end, when } = shown
  const sum = charged.reduce((total, amount) => total + amount, 0)
  const isAsShown = isPreviewed(sum, change, life)
  const made = Changed.safeParse(reply?.body).data
  const isDone = made && !made.pending && made.checkoutUrl === null
  return [
    ...(sum > 0 && !isAsShown ? [`of ${due.amount} was charged as ${charged}`] : []),
    ...(isDone && !isAsShown && !isChargedLater(change) ? [`of ${due.amount} came to ${charged}`] : []),
    ...(isDone && !isMade(change) ? [`to ${shown.to.price_slug} ${when} was not kept`] : []),
    ...(made && at.getTime() > Date.parse(end) ? [`was valid until ${end}, and was accepted at ${at.toJSON()}`] : []),
    ...(isRefused(change) && (sum > 0 || isOtherPlan(change)) ? [`was refused, and has changed something`] : []),
  ]
}

/** A processor may charge a moment later what a change costs that ends a trial. */
const isChargedLater = ({ before, charged }: QuotedChange) =>
  charged.length === 0 && before.some(({ status }) => status === 'trialing')

/** Whether the response says that nothing was done, now or by an earlier attempt. */
const isRefused = ({ reply }: QuotedChange) =>
  reply !== null && reply.status !== 200 && !JSON.stringify(reply.body).includes('plan_change_in_progress')

/** Whether a subscription has another plan than before, or another change is scheduled. */
const isOtherPlan = ({ before, after }: QuotedChange) =>
  after.some(({ processorId, plan, scheduled }) => {
    const was = before.find((sale) => sale.processorId === processorId)
    const isScheduled = scheduled !== null && !isDeepStrictEqual(scheduled, was?.scheduled)
    return was !== undefined && (!isDeepStrictEqual(plan, was.plan) || isScheduled)
  })

/** Whether a subscription has the plan that was shown, from the time that was shown. */
const isMade = ({ shown: { to }, after }: QuotedChange) =>
  after.some(({ plan, scheduled }) => {
    const next = scheduled ?? plan
    return next?.price.amount === to.unit_amount && next.quantity === to.quantity
  })
