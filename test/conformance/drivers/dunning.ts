import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'

/** Where an owner can set how often failed charges are retried: the usual schedule has ended by then. */
const THREE_WEEKS = { retryDays: [2, 5, 7, 7], finally: 'cancel' as const }

/** Freemius gives up after nine days, and cancels the licence. */
export const GIVES_UP = 'freemius'
export const GOES_ON = PROCESSOR_NAMES.filter((acquiring) => acquiring !== GIVES_UP)

/** Retries failed charges for three weeks, at processors where an owner can choose that. */
export async function repeatForThreeWeeks({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe' || acquiring === 'chargebee') await world[acquiring].setDunning(paywall.id, THREE_WEEKS)
}

/** Where a new period begins although earlier ones are unpaid, each with its own invoice. */
export const OWES_SEVERAL = ['stripe', 'polar', 'chargebee'] as const
export const owesSeveral = (acquiring: ProcessorName) => OWES_SEVERAL.some((each) => each === acquiring)

/** Where a subscription is active again as soon as its latest period is paid, even if it owes earlier ones. */
export const recoversByLatest = (acquiring: ProcessorName) => acquiring === 'stripe'
