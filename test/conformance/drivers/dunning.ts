import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'
import { goesOnToNextPeriod } from './stopping.ts'

/** A longer retry schedule than the default, for processors where an owner can configure it. */
const THREE_WEEKS = { retryDays: [2, 5, 7, 7], finally: 'cancel' as const }

/** Freemius stops retrying after nine days, and cancels the licence. */
const GIVES_UP_EARLY = 'freemius'
export const GOES_ON = PROCESSOR_NAMES.filter((acquiring) => acquiring !== GIVES_UP_EARLY)

/** Processors that end a subscription after the last retry. Mollie charges the next period instead. */
export const GIVES_UP = PROCESSOR_NAMES.filter((acquiring) => !goesOnToNextPeriod(acquiring))

/** Retries failed charges for three weeks, where an owner can configure that. */
export async function repeatForThreeWeeks({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe' || acquiring === 'chargebee') await world[acquiring].setDunning(paywall.id, THREE_WEEKS)
}

/** Processors where a new period with its own invoice begins while earlier ones are unpaid. */
export const OWES_SEVERAL = ['stripe', 'polar', 'chargebee'] as const
export const owesSeveral = (acquiring: ProcessorName) => OWES_SEVERAL.some((each) => each === acquiring)

/** Whether a subscription is active again once its latest period is paid, even if earlier ones are unpaid. */
export const recoversByLatest = (acquiring: ProcessorName) => acquiring === 'stripe'
