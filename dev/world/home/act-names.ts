import { actsFor } from '../../emulators/acts-for.ts'
import type { Acts } from '../../emulators/core/acts/acts.ts'
import { Refused } from '../../emulators/core/acts/refused.ts'
import type { HomeContext } from './context.ts'
import type { PurchaseRow } from './purchases.ts'

/** The acts that home can perform on a purchase: the button's label, and the journal's sentence afterwards. */
const ACTS = {
  renew: ['Renew', 'The next period began and was paid'],
  failCharge: ['Fail the renewal charge', 'The next period began, and its charge failed'],
  recover: ['Recover', 'The failed charge was paid'],
  rollOver: ['Renew with a pending payment', 'The next period began, and its payment is pending'],
  arrive: ['Complete the pending payment', 'The pending payment was completed'],
  bounce: ['Fail the pending payment', 'The pending payment failed'],
  refund: ['Refund', 'The latest payment was refunded'],
  failRefund: ['Make the refund fail', 'The latest refund failed'],
  dispute: ['Dispute', "The payer's bank disputed the latest payment"],
  winDispute: ['Win the dispute', 'The bank decided in favor of the seller'],
  loseDispute: ['Lose the dispute', 'The bank decided in favor of the payer'],
  cancel: ['Cancel', 'It was cancelled at the processor'],
  changePlan: ['Change the plan', 'The buyer changed the plan at the processor'],
  schedulePlan: [
    'Change the plan at the period’s end',
    'The buyer scheduled a change of plan for the end of the period',
  ],
  undo: ['Undo the cancellation', 'The cancellation was undone'],
  suspend: ['Invalidate the payment method', 'The payment method is no longer valid'],
  end: ['End now', 'The seller ended it at the processor'],
} satisfies Record<string, [label: string, done: string]>

export type ActName = keyof typeof ACTS

export const actLabels = Object.fromEntries(Object.entries(ACTS).map(([name, [label]]) => [name, label])) as Record<
  ActName,
  string
>

export const isAct = (name: string): name is ActName => Object.hasOwn(ACTS, name)

/** The journal's sentence about an act that was performed. */
export const describeAct = (name: ActName) => ACTS[name][1]

/** Performs the act on a purchase, named by its processor's id. Throws if it is not possible, or not now. */
export async function performAct(acts: Acts, name: ActName, processorId: string): Promise<void> {
  if (name === 'arrive' || name === 'bounce') return void (await acts.resolve(name === 'bounce', processorId))
  if (name === 'winDispute' || name === 'loseDispute') {
    if (!acts.decideDispute) throw new Refused(`${actLabels[name]}: not possible at this processor`)
    return void (await acts.decideDispute(processorId, name === 'winDispute'))
  }
  const act = acts[name]
  if (!act) throw new Refused(`${actLabels[name]}: not possible at this processor`)
  await act(processorId)
}

/** The acts in the account of a purchase; null if no file has or had that account. */
export function findActs({ world, files }: Pick<HomeContext, 'world' | 'files'>, purchase: PurchaseRow): Acts | null {
  const sellers = files.known().flatMap(({ paywalls }) => paywalls)
  const seller = sellers.find(
    ({ id, processor }) => id === purchase.paywallId && processor.acquiring === purchase.acquiring,
  )
  return seller ? actsFor(world, seller) : null
}

/** The acts that are possible in a purchase's current state at its processor. */
export function possibleActs(parts: Pick<HomeContext, 'world' | 'files'>, purchase: PurchaseRow): ActName[] {
  const acts = findActs(parts, purchase)
  if (!acts) return []
  const isSupported = (name: ActName) => {
    if (name === 'arrive' || name === 'bounce') return true
    return (name === 'winDispute' || name === 'loseDispute' ? acts.decideDispute : acts[name]) !== undefined
  }
  return namesFor(purchase).filter(isSupported)
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
