import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { disputesOf, openDispute, refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { optional } from '../core/wire/json-fields.ts'
import { Amount, amountOf, minorUnits } from './amounts.ts'
import { unprocessable } from './errors.ts'
import { Metadata } from './own.ts'
import { parseBody } from './parameters.ts'
import { refuseUnless } from './payments.ts'

export const RefundBody = z.strictObject({
  amount: Amount,
  description: optional(z.string().max(255)),
  metadata: optional(Metadata),
})

/** Refunds an amount of a paid payment: at once, unless refunds are slow. */
export function refund(
  context: AccountContext,
  { amount, description, metadata }: z.output<typeof RefundBody>,
  payment: PaymentRecord,
): RefundRecord {
  refuseUnless(payment, 'paid')
  const minor = minorUnits(amount)
  if (amount.currency !== payment.currency) throw unprocessable('The currency is not that of the payment', 'amount')
  if (minor === 0) throw unprocessable('The amount is lower than the minimum', 'amount')
  if (minor > payment.amount - refundedOf(context, payment)) {
    throw unprocessable('The specified amount cannot be refunded', 'amount')
  }
  return refundPayment(context, payment, {
    amount: minor,
    status: context.isOn('slowRefunds') ? 'queued' : 'refunded',
    own: { description: description ?? payment.description, metadata },
  })
}

/** The same for the emulator's control: `value` is decimal text; without it, all that is left is refunded. */
export function refundPart(context: AccountContext, payment: PaymentRecord, value?: string): RefundRecord {
  const { currency } = payment
  const left = amountOf(payment.amount - refundedOf(context, payment), currency)
  const amount = value === undefined ? left : { currency, value }
  return refund(context, parseBody(RefundBody, { amount }), payment)
}

/** The payer's bank takes the payment back. */
export function chargeBack(context: AccountContext, payment: PaymentRecord): DisputeRecord {
  refuseUnless(payment, 'paid')
  if (disputesOf(context, payment).some(({ status }) => status !== 'won')) {
    throw unprocessable(`Payment ${payment.id} is charged back already.`)
  }
  return openDispute(context, payment)
}
