import * as z from 'zod'
import { newId, newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { refuseUncharged } from './currencies.ts'
import { invalidRequest } from './errors.ts'
import { disputeObject } from './objects/dispute.ts'
import { chargeObject, isPaid, paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { integer, metadata, text } from './parameters.ts'
import type { ChargeRecord, PaymentRecord, RefundRecord } from './records.ts'

type NewPayment = Pick<PaymentRecord, 'amount' | 'currency' | 'customer' | 'email' | 'description' | 'metadata'>

export function openPayment(context: AccountContext, given: NewPayment): PaymentRecord {
  const payment: PaymentRecord = { ...newRecord(context, 'pi_'), ...given, charges: [] }
  context.records.payments.set(payment.id, payment)
  return payment
}

/** Makes one attempt at charging the card, and sends the events of its outcome. */
export function chargeCard(context: AccountContext, payment: PaymentRecord, succeeded: boolean): void {
  decideCharge(context, payment, newCharge(context, payment), succeeded)
}

/** Begins an attempt that takes days, as a bank debit does: the payment is `processing` until `decideDebit`. */
export function beginDebit(context: AccountContext, payment: PaymentRecord): void {
  const charge = newCharge(context, payment)
  context.emit('charge.pending', chargeObject(payment, charge))
  context.emit('payment_intent.processing', paymentIntentObject(payment))
}

export function decideDebit(context: AccountContext, payment: PaymentRecord, succeeded: boolean): void {
  const charge = payment.charges.at(-1)
  if (!charge?.pending) throw invalidRequest(`PaymentIntent ${payment.id} is not processing.`)
  decideCharge(context, payment, charge, succeeded)
}

function newCharge(context: AccountContext, payment: PaymentRecord): ChargeRecord {
  const undecided = { pending: true, succeeded: false, amountRefunded: 0, disputed: false }
  const charge = { id: newId('ch_'), created: context.now, ...undecided }
  payment.charges.push(charge)
  return charge
}

function decideCharge(context: AccountContext, payment: PaymentRecord, charge: ChargeRecord, succeeded: boolean): void {
  charge.pending = false
  charge.succeeded = succeeded
  context.emit(succeeded ? 'charge.succeeded' : 'charge.failed', chargeObject(payment, charge))
  const outcome = succeeded ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
  context.emit(outcome, paymentIntentObject(payment))
}

export const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.optional(),
})

/** Refunds `amount`, or all that is left of the payment. */
export function refund(context: AccountContext, parameters: z.output<typeof RefundParameters>) {
  const payment = findPayment(context, parameters.payment_intent, 'payment_intent')
  const charge = successfulCharge(payment)
  const left = payment.amount - charge.amountRefunded
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
  const record: RefundRecord = {
    ...newRecord(context, 're_'),
    amount,
    currency: payment.currency,
    payment: payment.id,
    charge: charge.id,
    reason: parameters.reason ?? null,
    metadata: parameters.metadata ?? {},
  }
  context.records.refunds.set(record.id, record)
  const before = chargeObject(payment, charge)
  charge.amountRefunded += amount
  context.emit('refund.created', refundObject(record, payment))
  context.emit('charge.refunded', chargeObject(payment, charge), before)
  return refundObject(record, payment)
}

/** The payer's bank takes the payment back. */
export function dispute(context: AccountContext, paymentId: string) {
  const payment = findPayment(context, paymentId, 'payment_intent')
  const charge = successfulCharge(payment)
  if (charge.disputed) throw invalidRequest(`Charge ${charge.id} is already disputed.`)
  charge.disputed = true
  const object = disputeObject(newId('dp_'), context.now, payment, charge.id)
  context.emit('charge.dispute.created', object)
  return object
}

export const findPayment = (context: AccountContext, id: string, param?: string) =>
  find(context, context.records.payments, 'payment_intent', id, param)

function successfulCharge(payment: PaymentRecord): ChargeRecord {
  const latest = payment.charges.at(-1)
  if (latest && isPaid(payment)) return latest
  throw invalidRequest(`This PaymentIntent (${payment.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  })
}
