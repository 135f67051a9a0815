import type { SealedAccount } from '../processors/account.ts'
import type { PurchaseReference, RefundOrder } from '../processors/processor.ts'

/** A claimed refund, to be made at its processor: the result of `refund_json` in functions/refund-purchase/begin-refund.sql. */
export interface ClaimedRefund {
  owner_id: string
  id: string
  /** Part of the processor's idempotency key; incremented after each response, so that a retry is a new call. */
  attempt: number
  amount: number
  currency: string
  created_at: string
  account: SealedAccount
  /** The payment and the purchase, by the processor's ids. */
  payment: string
  about: Pick<PurchaseReference, 'kind' | 'id'>
}

/** The refund in the form that processors take. */
export const toRefundOrder = ({
  id,
  attempt,
  created_at: at,
  payment,
  about,
  amount,
  currency,
}: ClaimedRefund): RefundOrder => ({
  id,
  key: `${id}:${attempt}`,
  requestedAt: new Date(at),
  paymentId: payment,
  purchase: about,
  amount,
  currency,
})
