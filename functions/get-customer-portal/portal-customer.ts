import type { SealedAccount } from '../../lib/processors/account.ts'
import type { FindRefusal } from './contract.ts'

/** A member's customer id, the processor account that it belongs to, and the portal's return URL. */
export interface PortalCustomer {
  account: SealedAccount
  customer: string
  /** A page of the owner's: from the paywall's settings, or else the one that this subscription's buyer was redirected to. */
  home: string
}

/** The result of find_portal_customer. */
export type FindResult =
  | { verdict: Exclude<FindRefusal, 'no_subscription'> }
  | { verdict: 'no_subscription'; is_test: boolean }
  | { verdict: 'found'; is_test: boolean; customer: PortalCustomer }
