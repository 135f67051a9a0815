import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** Whether a past due subscription is revoked directly, without voiding an invoice that may have been paid meanwhile. */
export const revokesWhatIsPaid = (acquiring: ProcessorName) => acquiring === 'polar'

/** Whether a failed charge is never retried: the next successful charge is for the next period. */
export const chargesNextPeriod = (acquiring: ProcessorName) => acquiring === 'mollie'

/** Whether a processing charge can be cancelled. */
export const callsChargesBack = (acquiring: ProcessorName) => acquiring === 'stripe'

/** Whether a processing charge waits for the bank; elsewhere it succeeds by itself. */
export const waitsForBank = (acquiring: ProcessorName) => acquiring === 'mollie'

/** Whether a change of plan can be scheduled for the end of the period. */
export const schedulesPlans = (acquiring: ProcessorName) => acquiring === 'stripe' || acquiring === 'chargebee'

/** Whether open invoices are voided one by one before a past due subscription is ended. */
export const voidsInvoices = (acquiring: ProcessorName) => acquiring === 'stripe' || acquiring === 'chargebee'

/** Whether a period may begin before it is charged. Elsewhere its charge succeeds or fails when it begins. */
export const rollsOver = (acquiring: ProcessorName) => acquiring !== 'chargebee' && acquiring !== 'freemius'

/** Whether a completed refund can fail later. */
export const failsRefunds = (acquiring: ProcessorName) => acquiring !== 'freemius'
