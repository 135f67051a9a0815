import type * as z from 'zod'
import type { Geo, LocalPrice } from '../../lib/geo/targeting.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import type { Discount } from '../../lib/processors/discount.ts'
import type { CheckoutOrder, PurchaseStatus } from '../../lib/processors/processor.ts'
import type { CheckoutRefusal, OfferProblem, Reply } from './contract.ts'

export type CheckoutReply = z.output<typeof Reply>

/**
 * Everything that the processor call needs, as the first attempt under this Idempotency-Key stored it, except that `email`, `geo` and
 * `account` are read anew.
 */
export interface ClaimedCheckout {
  id: string
  paywall_id: string
  /** The scope of the Idempotency-Key: paywall, caller and key identify the claim. */
  caller: string
  key: string
  user_id: string
  email: string | null
  customer: string | null
  customers: CheckoutOrder['customers']
  trial_days: number
  quantity: number
  options: CheckoutOrder['options']
  /** The offer that the page gives, as it was when it was reserved; null: none. */
  offer: { id: string; discount: Discount; processor_discount: string | null } | null
  country: string | null
  local_currency: string | null
  return_origin: string
  attempt: number
  geo: Geo
  price: Price & { locals: (LocalPrice & Price)[] } & Pick<CheckoutOrder, 'recurring'>
  account: SealedAccount
}

/** `amount` is in minor units. */
export type Price = { currency: string; amount: number; processor_price: string }

/** The result of claim_checkout once it is decided. `wait` is in seconds. */
export type DecidedResult =
  | {
      verdict: Exclude<
        CheckoutRefusal,
        'missing_parameters' | 'too_many_pages' | 'active_purchase' | 'fixed_trial' | 'invalid_offer' | 'too_many_codes'
      >
    }
  | { verdict: 'active_purchase'; purchase_id: string; status: PurchaseStatus }
  | { verdict: 'too_many_pages' | 'too_many_codes'; wait: number }
  | { verdict: 'invalid_offer'; reason: OfferProblem }
  | { verdict: 'fixed_trial'; days: number }
  | { verdict: 'missing_parameters'; has_success_url: boolean; has_error_url: boolean }
  | { verdict: 'replay'; reply: CheckoutReply }
  | { verdict: 'claimed'; checkout: ClaimedCheckout }

/** `in_progress`: another attempt holds the claim. */
export type ClaimResult = DecidedResult | { verdict: 'in_progress' }
