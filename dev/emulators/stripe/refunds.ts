import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { RefundRecord } from '../core/domain/money-records.ts'
import { refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { optional } from '../core/wire/json-fields.ts'
import { refuseUncharged } from './currencies.ts'
import { refused } from './errors.ts'
import { RefundReason } from './own.ts'
import { metadata } from './parameters.ts'

export const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
  reason: optional(RefundReason),
  metadata: metadata.default({}),
})

/** Refunds `amount`, or all that is left of the payment. */
export function refund(
  context: AccountContext,
  { payment_intent: id, amount: given, ...own }: z.output<typeof RefundParameters>,
): RefundRecord {
  const payment = find(context, 'payments', id, 'payment_intent')
  const charge = payment.attempts.at(-1)
  if (!charge || payment.status !== 'paid') throw refused('payment_not_charged', { id })
  const left = payment.amount - refundedOf(context, payment)
  const amount = given ?? left
  if (left === 0) throw refused('charge_already_refunded', { id: charge.id })
  if (amount > left) throw refused('refund_too_large', { amount, left })
  refuseUncharged(amount, payment.currency, 'amount')
  return refundPayment(context, payment, { amount, own, status: context.isOn('slowRefunds') ? 'pending' : 'refunded' })
}
