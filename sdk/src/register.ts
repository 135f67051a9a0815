/**
 * The names of a paywall file, which `paywall types FILE` writes into this interface: its prices, features and types of tokens. Without
 * them every text is taken.
 */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be filled in from elsewhere
export interface Register {}

/** The names of one kind. */
type Registered<Kind extends string> = Register extends Record<Kind, infer Name extends string> ? Name : string

/** A price, by its slug or its id. */
export type PriceName = Registered<'price'> | `price_${string}`
export type FeatureName = Registered<'feature'>
export type TokenType = Registered<'token'>
