/**
 * The price, feature and token names of a paywall file, which `paywall types FILE` declares in this interface. Without them, any string
 * is accepted.
 */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be augmented by another module
export interface Register {}

/** The names of one kind. */
type Registered<Kind extends string> = Register extends Record<Kind, infer Name extends string> ? Name : string

export type PriceSlug = Registered<'price'>
/** A price, by its slug or its id. */
export type PriceName = PriceSlug | `price_${string}`
export type FeatureName = Registered<'feature'>
export type TokenType = Registered<'token'>
