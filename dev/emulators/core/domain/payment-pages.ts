import { DAY_SECONDS } from '../periods.ts'
import { type AccountContext, find } from './context.ts'
import { newMandate } from './mandates.ts'
import type { PaymentRecord } from './money-records.ts'
import { attemptPayment, endPayment } from './payments.ts'

/*
 * The life of a payment that has a page of its own: it is created open; there the payer pays, pays with money that
 * arrives later, chooses a bank transfer, fails or cancels; nobody comes, and it expires. Whatever ends it goes through
 * `finishPayment`, which makes the mandate.
 */

/** How long the payer of a bank transfer has. That it is twelve days is UNVERIFIED. */
const TRANSFER_SECONDS = 12 * DAY_SECONDS

/** The payment with that id, expired if its time is over. */
export function findPayment(context: AccountContext, id: string): PaymentRecord {
  const payment = find(context, 'payments', id)
  expirePaymentIfOver(context, payment)
  return payment
}

/** Expires an open payment whose time is over. */
export function expirePaymentIfOver(context: AccountContext, payment: PaymentRecord): void {
  const { status, expiresAt } = payment
  if (status === 'open' && expiresAt !== null && expiresAt <= context.now) endPayment(context, payment, 'expired')
}

export function expirePayment(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  refusePaymentUnless(context, payment, 'open')
  return finishPayment(context, payment, 'expired')
}

/** The payer is going to transfer the money from their bank: the payment stays open for as long as that may take. */
export function chooseTransfer(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.method = 'banktransfer'
  payment.expiresAt = context.now + TRANSFER_SECONDS
  return payment
}

export const awaitsTransfer = ({ status, method }: PaymentRecord) => status === 'open' && method === 'banktransfer'

/** The payer has paid, but the money has not arrived yet. */
export function payPaymentLater(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  expirePaymentIfOver(context, payment)
  refusePaymentUnless(context, payment, 'open')
  payment.method ??= 'creditcard'
  return attemptPayment(context, payment, 'pending')
}

/** The money of a pending payment, or of a bank transfer, arrives, or is known not to arrive. */
export function resolvePaymentOfPage(context: AccountContext, payment: PaymentRecord, succeeds: boolean) {
  expirePaymentIfOver(context, payment)
  if (!awaitsTransfer(payment)) refusePaymentUnless(context, payment, 'pending')
  return finishPayment(context, payment, succeeds ? 'paid' : 'failed')
}

/** Gives a payment its last status. One that is paid makes the mandate that it is to give. */
export function finishPayment(
  context: AccountContext,
  payment: PaymentRecord,
  status: Parameters<typeof endPayment>[2],
): PaymentRecord {
  const { id, customer, subscription, givesMandate, created } = payment
  if (status === 'paid' || status === 'failed') payment.method ??= 'creditcard'
  if (status === 'paid' && givesMandate && customer !== null) {
    payment.mandate = newMandate(context, { customer, payment: id, method: mandateMethod(payment.method) }).id
  }
  // What is charged ahead of the clock ends at the time for which it was made.
  return endPayment(context, payment, status, subscription === null ? context.now : created)
}

/** Methods that need the customer at every payment, such as a bank transfer, give a mandate for direct debit. */
const mandateMethod = (method: string | null) =>
  method === 'creditcard' || method === 'paypal' ? method : 'directdebit'

export function refusePaymentUnless(context: AccountContext, payment: PaymentRecord, wanted: PaymentRecord['status']) {
  const { id, status } = payment
  if (status !== wanted) throw context.refuse(`Payment ${id} is ${status}, not ${wanted}.`)
}
