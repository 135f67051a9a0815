/** The processors, by their names in the database and in the contract's `acquiring` (section 4.2). */
export const ACQUIRING = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie'] as const

export type Acquiring = (typeof ACQUIRING)[number]
