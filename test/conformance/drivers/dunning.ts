import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'

/** Where an owner sets how failed charges are repeated, as often as it takes: the usual schedule is over by then. */
const THREE_WEEKS = { retryDays: [2, 5, 7, 7], finally: 'cancel' as const }

/** Freemius gives up after nine days, and then the licence is over. */
export const GIVES_UP = 'freemius'
export const GOES_ON = PROCESSOR_NAMES.filter((acquiring) => acquiring !== GIVES_UP)

/** Lets failed charges be repeated for three weeks, at processors that let an owner choose. */
export async function repeatForThreeWeeks({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe' || acquiring === 'chargebee') await world[acquiring].setDunning(paywall.id, THREE_WEEKS)
}

/** Where a period begins although those before are not paid yet, each with an invoice of its own. */
export const OWES_SEVERAL = ['stripe', 'polar', 'chargebee'] as const
export const owesSeveral = (acquiring: ProcessorName) => OWES_SEVERAL.some((each) => each === acquiring)

/** Where a subscription is active again as soon as its latest period is paid, whatever else it owes. */
export const recoversByLatest = (acquiring: ProcessorName) => acquiring === 'stripe'
