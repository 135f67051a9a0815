import { isDeepStrictEqual } from 'node:util'
import { Changed } from '../../../functions/change-plan/contract.ts'
import type { QuotedChange } from '../person.ts'
import type { Invariant } from './case.ts'

/** An estimate changes by the second. */
const CENTS = 2

/** A change of plan charges what was shown, if the quote is still valid, and makes the change. Or it is refused, and does nothing. */
export const QUOTES: Invariant = {
  name: 'quotes',
  faults: ({ company: { quotedChanges } }) =>
    quotedChanges.flatMap((change) => findFaults(change).map((fault) => `the quote ${change.shown.quote} ${fault}`)),
}

function findFaults(change: QuotedChange): string[] {
  const { shown, at, reply, charged } = change
  const { due_now: due, estimate, expires_at: end, when } = shown
  const sum = charged.reduce((total, amount) => total + amount, 0)
  const isAsShown = Math.abs(sum - due.amount) <= (estimate ? CENTS : 0)
  const made = Changed.safeParse(reply?.body).data
  const isDone = made && !made.pending && made.checkoutUrl === null
  return [
    ...(sum > 0 && !isAsShown ? [`of ${due.amount} was charged as ${charged}`] : []),
    ...(isDone && !isAsShown ? [`of ${due.amount} came to ${charged}`] : []),
    ...(isDone && !isMade(change) ? [`to ${shown.to.price_slug} ${when} was not kept`] : []),
    ...(made && at.getTime() > Date.parse(end) ? [`was valid until ${end}, and was accepted at ${at.toJSON()}`] : []),
    ...(isRefused(change) && (sum > 0 || isOtherPlan(change)) ? [`was refused, and has changed something`] : []),
  ]
}

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
