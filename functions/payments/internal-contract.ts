import * as z from 'zod'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { missingCredentialErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import type { MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'

/*
 * What the pages of a paywall ask about its payments. Only the Worker `pages` calls it: the gateway has no route to it.
 */

export const PATH = '/api/v1/paywall/:id/payments'
export const RECEIPT_PATH = `${PATH}/:payment/receipt`

/** The latest payments, or with `before`, a payment's id, those before it. */
export const Query = z.object({ before: z.string().optional() })

/** Where a receipt is. Instead of it, the reply may be the document itself: `application/pdf`. */
export interface ReceiptReply {
  url: string
}

/** `unknown_payment`: the member has no payment with this id. */
export type PaymentsRefusal = UserRefusal | MemberRefusal | 'unknown_payment'

/** `no_receipt`: the processor has none, or none yet. `pending`: it is being made. */
type ReceiptRefusal = PaymentsRefusal | 'no_credential' | 'bad_token' | 'no_receipt' | 'pending'

export const errors = defineErrors<ReceiptRefusal>({
  ...missingCredentialErrors,
  ...userErrors,
  ...paywallErrors,
  ...memberErrors,
  unknown_payment: [404, 'payment_not_found', 'The user has no payment with this id on this paywall'],
  no_receipt: [404, 'receipt_not_found', 'The processor has no receipt for this payment, or none yet'],
  pending: [409, 'receipt_pending', 'The processor is making the receipt'],
})
