/** The processors, by their names in the database and in the contract's `acquiring` (section 4.2). */
export const PROCESSOR_NAMES = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie'] as const

export type ProcessorName = (typeof PROCESSOR_NAMES)[number]
