/** The five processors, by the names the contract's `acquiring` uses (section 4.2). */
export const ACQUIRING = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie'] as const

export type Acquiring = (typeof ACQUIRING)[number]
