import { actsOf } from '../../emulators/acts-of.ts'
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
  dispute: ['Dispute', "The payer's bank took the latest payment back"],
  cancel: ['Cancel', 'It was cancelled at the processor'],
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
export const doneSentence = (name: ActName) => ACTS[name][1]

/** Does it, to a purchase as its processor knows it. Throws where that cannot be, or not now. */
export async function performAct(acts: Acts, name: ActName, processorId: string): Promise<void> {
  if (name === 'arrive' || name === 'bounce') return void (await acts.resolve(name === 'bounce', processorId))
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
  return seller ? actsOf(world, seller) : null
}

/** What can happen to a purchase in its present state. What its processor cannot do is left out. */
export function possibleActs(parts: Pick<HomeParts, 'world' | 'files'>, purchase: PurchaseRow): ActName[] {
  const acts = actsOfPurchase(parts, purchase)
  if (!acts) return []
  const there = (name: ActName) => name === 'arrive' || name === 'bounce' || acts[name] !== undefined
  return namesFor(purchase).filter(there)
}

function namesFor({ status, interval, cancelAtPeriodEnd, isPaid }: PurchaseRow): ActName[] {
  const money: ActName[] = isPaid && status !== 'refunded' ? ['refund', 'dispute'] : []
  if (status === 'pending') return ['arrive', 'bounce']
  if (interval === null || status === 'canceled' || status === 'refunded') return money
  const charge: ActName[] =
    status === 'past_due' ? ['recover', 'failCharge'] : cancelAtPeriodEnd ? [] : ['renew', 'failCharge', 'rollOver']
  const ending: ActName[] = cancelAtPeriodEnd ? ['undo', 'end'] : ['cancel', 'suspend', 'end']
  return [...charge, ...money, ...ending]
}
