// For the owner's server: it needs an owner key.
export type { CheckoutOrder } from './checkout.ts'
export type { CallOptions, TransportOptions } from './client.ts'
export { PaywallError } from './error.ts'
export type { Identity } from './identity.ts'
export { type KeyedOptions, Paywall, type PaywallOptions } from './paywall.ts'
export type * from './schemas.ts'
export type { TicketOrder } from './ticket.ts'
export type { User } from './user.ts'
