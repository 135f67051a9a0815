import * as z from 'zod'
import { newRecord } from '../core/tables.ts'
import type { AccountContext } from './account-context.ts'
import { Amount, amountOf, minorUnits } from './amounts.ts'
import { unprocessable } from './errors.ts'
import { Metadata } from './metadata.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { optional, parseBody } from './parameters.ts'
import { findPayment } from './payments.ts'
import type { ChargebackRecord, PaymentRecord, RefundRecord } from './records.ts'

export const RefundBody = z.strictObject({
  amount: Amount,
  description: optional(z.string().max(255)),
  metadata: optional(Metadata),
})

/** Refunds an amount of a paid payment, at once. */
export function refund(context: AccountContext, body: z.output<typeof RefundBody>, paymentId: string): RefundRecord {
  const payment = findPaid(context, paymentId)
  const left = leftOf(context, payment)
  const minor = minorUnits(body.amount)
  if (body.amount.currency !== payment.amount.currency) {
    throw unprocessable('The currency is not that of the payment', 'amount')
  }
  if (minor === 0) throw unprocessable('The amount is lower than the minimum', 'amount')
  if (minor > left) throw unprocessable('The specified amount cannot be refunded', 'amount')
  const record: RefundRecord = {
    ...newRecord(context, 're_', 6),
    payment: payment.id,
    amount: body.amount,
    description: body.description ?? payment.description,
    metadata: body.metadata,
  }
  context.records.refunds.set(record.id, record)
  context.emit('refund.refunded', refundObject(record, context.url))
  return record
}

/** The same for the emulator's control: `value` is decimal text; without it, all that is left is refunded. */
export function refundPart(context: AccountContext, paymentId: string, value?: string): RefundRecord {
  const payment = findPaid(context, paymentId)
  const { currency } = payment.amount
  const amount = value === undefined ? amountOf(leftOf(context, payment), currency) : { currency, value }
  return refund(context, parseBody(RefundBody, { amount }), paymentId)
}

/** The payer's bank takes the payment back. */
export function chargeBack(context: AccountContext, paymentId: string): ChargebackRecord {
  const payment = findPaid(context, paymentId)
  if (chargebacksOf(context, paymentId).length > 0) throw unprocessable(`Payment ${paymentId} is charged back already.`)
  const record = { ...newRecord(context, 'chb_', 6), payment: payment.id, amount: payment.amount }
  context.records.chargebacks.set(record.id, record)
  context.emit('chargeback.received', chargebackObject(record, context.url))
  return record
}

/** The newest first. */
export const refundsOf = ({ records }: AccountContext, paymentId: string): RefundRecord[] =>
  [...records.refunds.values()].filter(({ payment }) => payment === paymentId).reverse()

export const chargebacksOf = ({ records }: AccountContext, paymentId: string): ChargebackRecord[] =>
  [...records.chargebacks.values()].filter(({ payment }) => payment === paymentId).reverse()

function findPaid(context: AccountContext, id: string): PaymentRecord {
  const payment = findPayment(context, id)
  if (payment.status !== 'paid') throw unprocessable(`Payment ${id} is ${payment.status}, not paid.`)
  return payment
}

function leftOf(context: AccountContext, { id, amount }: PaymentRecord): number {
  return refundsOf(context, id).reduce((left, refunded) => left - minorUnits(refunded.amount), minorUnits(amount))
}
