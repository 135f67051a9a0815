import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { refuseUncharged } from './currencies.ts'
import { invalidRequest } from './errors.ts'
import { metadata } from './parameters.ts'

export const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.optional(),
})

/** Refunds `amount`, or all that is left of the payment. */
export function refund(context: AccountContext, parameters: z.output<typeof RefundParameters>): RefundRecord {
  const payment = find(context, 'payments', parameters.payment_intent, 'payment_intent')
  const charge = chargeOf(payment)
  const left = payment.amount - refundedOf(context, payment)
  const amount = parameters.amount ?? left
  if (left === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  }
  if (amount > left) {
    throw invalidRequest(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    })
  }
  refuseUncharged(amount, payment.currency, 'amount')
  const own = { reason: parameters.reason ?? null, metadata: parameters.metadata ?? {} }
  return refundPayment(context, payment, { amount, own, status: context.isOn('slowRefunds') ? 'pending' : 'refunded' })
}

/** The charge that made a payment. */
export function chargeOf({ id, status, attempts }: PaymentRecord) {
  const charge = attempts.at(-1)
  if (charge && status === 'paid') return charge
  throw invalidRequest(`This PaymentIntent (${id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  })
}
