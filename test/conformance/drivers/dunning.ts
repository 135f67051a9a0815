import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'
import { chargesNextPeriod } from './stopping.ts'

/** A longer retry schedule than the default, for processors where an owner can configure it. */
const THREE_WEEKS = { retryDays: [2, 5, 7, 7], finally: 'cancel' as const }

/** Freemius stops retrying after nine days, and cancels the licence. */
const RETRIES_NINE_DAYS = 'freemius'
export const RETRY_FOR_WEEKS = PROCESSOR_NAMES.filter((acquiring) => acquiring !== RETRIES_NINE_DAYS)

/** Processors that end a subscription after the last retry. Mollie charges the next period instead. */
export const END_AFTER_LAST_RETRY = PROCESSOR_NAMES.filter((acquiring) => !chargesNextPeriod(acquiring))

/** Retries failed charges for three weeks, where an owner can configure that. */
export async function retryForThreeWeeks({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe' || acquiring === 'chargebee') await world[acquiring].setDunning(paywall.id, THREE_WEEKS)
}

/** Processors where a new period with its own invoice begins while earlier ones are unpaid. */
export const INVOICE_WHILE_UNPAID = ['stripe', 'polar', 'chargebee'] as const
export const invoicesWhileUnpaid = (acquiring: ProcessorName) => INVOICE_WHILE_UNPAID.some((each) => each === acquiring)

/** Whether a subscription is active again once its latest period is paid, even if earlier ones are unpaid. */
export const recoversWithLatestPayment = (acquiring: ProcessorName) => acquiring === 'stripe'
