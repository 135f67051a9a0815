import * as z from 'zod'
import { newId, newRecord } from '../core/new-record.ts'
import { find, type Ledger } from './account-context.ts'
import { invalidRequest } from './errors.ts'
import { disputeObject } from './objects/dispute.ts'
import { chargeObject, isPaid, paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { integer, metadata, text } from './parameters.ts'
import type { ChargeRecord, PaymentRecord, RefundRecord } from './records.ts'

type PaymentOf = Pick<PaymentRecord, 'amount' | 'currency' | 'customer' | 'email' | 'description' | 'metadata'>

export function openPayment(ledger: Ledger, of: PaymentOf): PaymentRecord {
  const payment: PaymentRecord = { ...newRecord(ledger, 'pi_'), ...of, charges: [] }
  ledger.records.payments.set(payment.id, payment)
  return payment
}

/** Tries the card once and says how it went. */
export function charge(ledger: Ledger, payment: PaymentRecord, succeeded: boolean): void {
  const attempt = { id: newId('ch_'), created: ledger.now, succeeded, amountRefunded: 0, disputed: false }
  payment.charges.push(attempt)
  ledger.emit(succeeded ? 'charge.succeeded' : 'charge.failed', chargeObject(payment, attempt))
  const outcome = succeeded ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
  ledger.emit(outcome, paymentIntentObject(payment))
}

export const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.optional(),
})

/** Gives back `amount`, or all that is left of the payment. */
export function refund(ledger: Ledger, parameters: z.output<typeof RefundParameters>) {
  const payment = findPayment(ledger, parameters.payment_intent, 'payment_intent')
  const paid = paidCharge(payment)
  const left = payment.amount - paid.amountRefunded
  const amount = parameters.amount ?? left
  if (left === 0) {
    throw invalidRequest(`Charge ${paid.id} has already been refunded.`, { code: 'charge_already_refunded' })
  }
  if (amount > left) {
    throw invalidRequest(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    })
  }
  const record: RefundRecord = {
    ...newRecord(ledger, 're_'),
    amount,
    currency: payment.currency,
    payment: payment.id,
    charge: paid.id,
    reason: parameters.reason ?? null,
    metadata: parameters.metadata ?? {},
  }
  ledger.records.refunds.set(record.id, record)
  const before = chargeObject(payment, paid)
  paid.amountRefunded += amount
  ledger.emit('refund.created', refundObject(record, payment))
  ledger.emit('charge.refunded', chargeObject(payment, paid), before)
  return refundObject(record, payment)
}

/** The payer's bank takes the payment back. */
export function dispute(ledger: Ledger, paymentId: string) {
  const payment = findPayment(ledger, paymentId, 'payment_intent')
  const paid = paidCharge(payment)
  if (paid.disputed) throw invalidRequest(`Charge ${paid.id} is already disputed.`)
  paid.disputed = true
  const object = disputeObject(newId('dp_'), ledger.now, payment, paid.id)
  ledger.emit('charge.dispute.created', object)
  return object
}

export const findPayment = (ledger: Ledger, id: string, param?: string) =>
  find(ledger, ledger.records.payments, 'payment_intent', id, param)

function paidCharge(payment: PaymentRecord): ChargeRecord {
  const latest = payment.charges.at(-1)
  if (latest && isPaid(payment)) return latest
  throw invalidRequest(`This PaymentIntent (${payment.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  })
}
