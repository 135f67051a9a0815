/** The processors by the names that the contract's `acquiring` uses (section 4.2), and the database. */
export const PROCESSOR_NAMES = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie'] as const

/** Those we can sell through: a name appears here when its adapter does. */
export const ACQUIRING = ['stripe', 'mollie'] as const satisfies (typeof PROCESSOR_NAMES)[number][]

export type Acquiring = (typeof ACQUIRING)[number]
