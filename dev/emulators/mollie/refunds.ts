import * as z from 'zod'
import { newRecord } from '../core/new-record.ts'
import type { Ledger } from './account-context.ts'
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

/** Gives back an amount of a paid payment, at once. */
export function refund(ledger: Ledger, body: z.output<typeof RefundBody>, paymentId: string): RefundRecord {
  const payment = findPaid(ledger, paymentId)
  const left = leftOf(ledger, payment)
  const minor = minorUnits(body.amount)
  if (body.amount.currency !== payment.amount.currency) {
    throw unprocessable('The currency is not that of the payment', 'amount')
  }
  if (minor === 0) throw unprocessable('The amount is lower than the minimum', 'amount')
  if (minor > left) throw unprocessable('The specified amount cannot be refunded', 'amount')
  const record: RefundRecord = {
    ...newRecord(ledger, 're_', 6),
    payment: payment.id,
    amount: body.amount,
    description: body.description ?? payment.description,
    metadata: body.metadata,
  }
  ledger.records.refunds.set(record.id, record)
  ledger.emit('refund.refunded', refundObject(record, ledger.url))
  return record
}

/** The same on behalf of a person: `value` is decimal text, or all that is left. */
export function refundPart(ledger: Ledger, paymentId: string, value?: string): RefundRecord {
  const payment = findPaid(ledger, paymentId)
  const { currency } = payment.amount
  const amount = value === undefined ? amountOf(leftOf(ledger, payment), currency) : { currency, value }
  return refund(ledger, parseBody(RefundBody, { amount }), paymentId)
}

/** The payer's bank takes the payment back. */
export function chargeBack(ledger: Ledger, paymentId: string): ChargebackRecord {
  const payment = findPaid(ledger, paymentId)
  if (chargebacksOf(ledger, paymentId).length > 0) throw unprocessable(`Payment ${paymentId} is charged back already.`)
  const record = { ...newRecord(ledger, 'chb_', 6), payment: payment.id, amount: payment.amount }
  ledger.records.chargebacks.set(record.id, record)
  ledger.emit('chargeback.received', chargebackObject(record, ledger.url))
  return record
}

/** The newest first. */
export const refundsOf = ({ records }: Ledger, paymentId: string): RefundRecord[] =>
  [...records.refunds.values()].filter(({ payment }) => payment === paymentId).reverse()

export const chargebacksOf = ({ records }: Ledger, paymentId: string): ChargebackRecord[] =>
  [...records.chargebacks.values()].filter(({ payment }) => payment === paymentId).reverse()

function findPaid(ledger: Ledger, id: string): PaymentRecord {
  const payment = findPayment(ledger, id)
  if (payment.status !== 'paid') throw unprocessable(`Payment ${id} is ${payment.status}, not paid.`)
  return payment
}

function leftOf(ledger: Ledger, { id, amount }: PaymentRecord): number {
  return refundsOf(ledger, id).reduce((left, refunded) => left - minorUnits(refunded.amount), minorUnits(amount))
}
