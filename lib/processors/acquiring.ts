/**
 * The processors we can sell through, by the names the contract's `acquiring` uses (section 4.2). The database knows all
 * five names; one appears here when its adapter does.
 */
export const ACQUIRING = ['stripe', 'mollie'] as const

export type Acquiring = (typeof ACQUIRING)[number]
