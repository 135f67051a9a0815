// For the owner's server: it needs an owner key.
export type { CallOptions, ClientOptions } from './client.ts'
export { PaywallError } from './error.ts'
export type { Identity } from './identity.ts'
export { type CheckoutOrder, type KeyedOptions, Paywall, type PaywallOptions, type TicketOrder } from './paywall.ts'
export type * from './schemas.ts'
export type { User } from './user.ts'
