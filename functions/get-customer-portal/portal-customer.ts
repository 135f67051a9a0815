import type { SealedAccount } from '../../lib/processors/account.ts'
import type { FindRefusal } from './contract.ts'

/** A member's customer id, the account at the processor that it belongs to, and where the portal leads back to. */
export interface PortalCustomer {
  account: SealedAccount
  customer: string
  /** A page of the owner's: of the paywall's settings, or else the one that this subscription's buyer was sent to. */
  home: string
}

/** What find_portal_customer gives. */
export type FindResult =
  | { verdict: Exclude<FindRefusal, 'no_subscription'> }
  | { verdict: 'no_subscription'; is_test: boolean }
  | { verdict: 'found'; is_test: boolean; customer: PortalCustomer }
