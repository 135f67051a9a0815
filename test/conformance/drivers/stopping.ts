import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** Where a past due subscription is revoked to end it: there is no invoice that could turn out to be paid when it is voided. */
export const revokesWhatIsPaid = (acquiring: ProcessorName) => acquiring === 'polar'

/** Where a failed charge is never retried: the next successful one is for the period after it. */
export const goesOnToNextPeriod = (acquiring: ProcessorName) => acquiring === 'mollie'

/** Where the charge of a period that has begun can be cancelled. */
export const callsChargesBack = (acquiring: ProcessorName) => acquiring === 'stripe'

/** Where a started charge waits for a bank; elsewhere charges succeed by themselves. */
export const waitsForBank = (acquiring: ProcessorName) => acquiring === 'mollie'
