import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** Where a subscription that is past due is revoked to end it: no invoice is there that could refuse to be void, once it is paid. */
export const revokesWhatIsPaid = (acquiring: ProcessorName) => acquiring === 'polar'

/** Where a charge that failed is never made good: the next one that is paid is for the period after it. */
export const goesOnToNextPeriod = (acquiring: ProcessorName) => acquiring === 'mollie'

/** Where the charge of a period that has begun can be called back. */
export const callsChargesBack = (acquiring: ProcessorName) => acquiring === 'stripe'

/** Where a charge that has begun waits for a bank: others go through by themselves. */
export const waitsForBank = (acquiring: ProcessorName) => acquiring === 'mollie'
