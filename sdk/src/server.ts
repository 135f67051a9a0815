// For the owner's server: needs an owner key.
export type { CheckoutParams } from './checkout.ts'
export type { CallOptions } from './client.ts'
export { PaywallError } from './error.ts'
export type { EndGrantParams, GrantParams } from './grants.ts'
export type { Identity } from './identity.ts'
export {
  type AccessToken,
  type KeyedOptions,
  Paywall,
  type PaywallOptions,
  type TokenOptions,
  type UserOptions,
} from './paywall.ts'
export type { PlanChangeParams, QuotedChangeParams } from './plan-change.ts'
export type * from './register.ts'
export type * from './schemas.ts'
export type { TicketParams } from './ticket.ts'
export type { SignedInUser, User } from './user.ts'
