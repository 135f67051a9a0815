/** The processors, by their names in the database and in the contract's `acquiring` (section 4.2). */
export const PROCESSOR_NAMES = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie'] as const

export type ProcessorName = (typeof PROCESSOR_NAMES)[number]

/** The processors that have an adapter, so that a paywall can sell through them. */
export const ACQUIRING = ['stripe', 'mollie'] as const satisfies ProcessorName[]

export type Acquiring = (typeof ACQUIRING)[number]
