import { actsFor } from '../../emulators/acts-for.ts'
import type { Acts } from '../../emulators/core/acts/acts.ts'
import { Refused } from '../../emulators/core/acts/refused.ts'
import type { HomeParts } from './parts.ts'
import type { PurchaseRow } from './purchases.ts'

/** What can be made happen to a purchase from home: what its button says, and what is said once it has happened. */
const ACTS = {
  renew: ['Renew', 'The next period began and was paid'],
  failCharge: ['Let the charge fail', 'The next period began, and its charge failed'],
  recover: ['Recover', 'The charge that had failed was made good'],
  rollOver: ['Renew, money on its way', 'The next period began, and its money is on its way'],
  arrive: ['Let the money arrive', 'The money that was on its way arrived'],
  bounce: ['Let the money fail', 'The money that was on its way did not come'],
  refund: ['Refund', 'The latest payment was refunded'],
  failRefund: ['Let the refund fail', 'The latest refund was sent back'],
  dispute: ['Dispute', "The payer's bank took the latest payment back"],
  winDispute: ['Win the dispute', 'The bank decided for the seller'],
  loseDispute: ['Lose the dispute', 'The bank decided for the payer'],
  cancel: ['Cancel', 'It was cancelled at the processor'],
  changePlan: ['Change the plan', 'The buyer changed the plan at the processor'],
  schedulePlan: ['Change the plan at the period’s end', 'The buyer changed the plan with the end of the period'],
  undo: ['Take the cancellation back', 'The cancellation was taken back'],
  suspend: ['Invalidate the payment method', 'What the buyer pays with is not valid any more'],
  end: ['End now', 'The seller ended it at the processor'],
} satisfies Record<string, [label: string, done: string]>

export type ActName = keyof typeof ACTS

export const actLabels = Object.fromEntries(Object.entries(ACTS).map(([name, [label]]) => [name, label])) as Record<
  ActName,
  string
>

export const isAct = (name: string): name is ActName => Object.hasOwn(ACTS, name)

/** What is said of an act that was done. */
export const describeAct = (name: ActName) => ACTS[name][1]

/** Does it, to a purchase as its processor knows it. Throws where that cannot be, or not now. */
export async function performAct(acts: Acts, name: ActName, processorId: string): Promise<void> {
  if (name === 'arrive' || name === 'bounce') return void (await acts.resolve(name === 'bounce', processorId))
  if (name === 'winDispute' || name === 'loseDispute') {
    if (!acts.decideDispute) throw new Refused(`${actLabels[name]}: that cannot happen at this processor`)
    return void (await acts.decideDispute(processorId, name === 'winDispute'))
  }
  const act = acts[name]
  if (!act) throw new Refused(`${actLabels[name]}: that cannot happen at this processor`)
  await act(processorId)
}

/** The acts in the account of a purchase; null if no file, and no former state of one, has that account. */
export function actsOfPurchase(
  { world, files }: Pick<HomeParts, 'world' | 'files'>,
  purchase: PurchaseRow,
): Acts | null {
  const sellers = files.known().flatMap(({ paywalls }) => paywalls)
  const seller = sellers.find(
    ({ id, processor }) => id === purchase.paywallId && processor.acquiring === purchase.acquiring,
  )
  return seller ? actsFor(world, seller) : null
}

/** What can happen to a purchase in its present state. What its processor cannot do is left out. */
export function possibleActs(parts: Pick<HomeParts, 'world' | 'files'>, purchase: PurchaseRow): ActName[] {
  const acts = actsOfPurchase(parts, purchase)
  if (!acts) return []
  const there = (name: ActName) => {
    if (name === 'arrive' || name === 'bounce') return true
    return (name === 'winDispute' || name === 'loseDispute' ? acts.decideDispute : acts[name]) !== undefined
  }
  return namesFor(purchase).filter(there)
}

function namesFor({ status, interval, cancelAtPeriodEnd, isPaid, isRefunded, isDisputed }: PurchaseRow): ActName[] {
  const money: ActName[] = [
    ...(isPaid && status !== 'refunded' ? (['refund', 'dispute'] as const) : []),
    ...(isRefunded ? (['failRefund'] as const) : []),
    ...(isDisputed ? (['winDispute', 'loseDispute'] as const) : []),
  ]
  if (status === 'pending') return ['arrive', 'bounce']
  if (interval === null || status === 'canceled' || status === 'refunded') return money
  const charge: ActName[] =
    status === 'past_due' ? ['recover', 'failCharge'] : cancelAtPeriodEnd ? [] : ['renew', 'failCharge', 'rollOver']
  const plan: ActName[] = status === 'past_due' ? [] : ['changePlan', 'schedulePlan']
  const ending: ActName[] = cancelAtPeriodEnd ? ['undo', 'end'] : [...plan, 'cancel', 'suspend', 'end']
  return [...charge, ...money, ...ending]
}
