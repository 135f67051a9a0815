import { isDeepStrictEqual } from 'node:util'
import { Changed } from '../../../functions/change-plan/contract.ts'
import { paysEveryChangeOnPage } from '../../conformance/drivers/plans.ts'
import type { QuotedChange } from '../person.ts'
import type { Case, Invariant } from './case.ts'

/** An estimate changes by the second, and a person on a slow machine takes minutes to decide. */
const tolerance = (amount: number) => Math.max(2, amount / 1000)

/** A change of plan charges what was shown, if the quote is still valid, and makes the change. Or it is refused, and does nothing. */
export const QUOTES: Invariant = {
  name: 'quotes',
  faults: ({ company: { quotedChanges, life } }) =>
    quotedChanges.flatMap((change) =>
      findFaults(change, couponOnPage(life)).map((fault) => `the quote ${change.shown.quote} ${fault}`),
    ),
}

/** What the coupon takes off that buyers may enter on a page, in percent. No preview knows of it. */
const couponOnPage = ({ processor, setup: { terms } }: Case['company']['life']): number =>
  paysEveryChangeOnPage(processor) ? (terms?.percentOff ?? 0) : 0

function findFaults(change: QuotedChange, percentOff: number): string[] {
  const { shown, at, reply, charged } = change
  const { due_now: due, estimate, expires_at: end, when } = shown
  const sum = charged.reduce((total, amount) => total + amount, 0)
  const possible = [due.amount, (due.amount * (100 - percentOff)) / 100]
  const isAsShown = possible.some((amount) => Math.abs(sum - amount) <= (estimate ? tolerance(amount) : 0))
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
