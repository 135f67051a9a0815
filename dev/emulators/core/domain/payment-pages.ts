import { DAY_SECONDS } from '../periods.ts'
import { type AccountContext, find } from './context.ts'
import { newMandate } from './mandates.ts'
import type { PaymentRecord } from './money-records.ts'
import { attemptPayment, endPayment } from './payments.ts'

/*
 * The life cycle of a payment with its own page. It is created open; the payer pays, pays with a pending method, chooses a
 * bank transfer, fails or cancels; otherwise it expires. All endings go through `finishPayment`, which creates the mandate.
 */

/** The time limit of a bank transfer. Twelve days are UNVERIFIED. */
const TRANSFER_SECONDS = 12 * DAY_SECONDS

/** The payment with that id, marked as expired if its time is over. */
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

/** The payer chooses a bank transfer: the payment stays open until the transfer's time limit. */
export function chooseTransfer(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.method = 'banktransfer'
  payment.expiresAt = context.now + TRANSFER_SECONDS
  return payment
}

export const awaitsTransfer = ({ status, method }: PaymentRecord) => status === 'open' && method === 'banktransfer'

/** The payer has paid, and the money has not arrived yet. */
export function payPaymentLater(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  expirePaymentIfOver(context, payment)
  refusePaymentUnless(context, payment, 'open')
  payment.method ??= 'creditcard'
  return attemptPayment(context, payment, 'pending')
}

/** Completes or fails a pending payment or a bank transfer. */
export function resolvePaymentOfPage(context: AccountContext, payment: PaymentRecord, succeeds: boolean) {
  expirePaymentIfOver(context, payment)
  if (!awaitsTransfer(payment)) refusePaymentUnless(context, payment, 'pending')
  return finishPayment(context, payment, succeeds ? 'paid' : 'failed')
}

/** Gives a payment its final status, and creates its mandate if it is paid. */
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
  // A charge made ahead of the clock ends at the date that it is for.
  return endPayment(context, payment, status, subscription === null ? context.now : created)
}

/** Methods that need the customer at every payment, such as a bank transfer, create a mandate for direct debit. */
const mandateMethod = (method: string | null) =>
  method === 'creditcard' || method === 'paypal' ? method : 'directdebit'

export function refusePaymentUnless(context: AccountContext, payment: PaymentRecord, wanted: PaymentRecord['status']) {
  const { id, status } = payment
  if (status !== wanted) throw context.refuse(`Payment ${id} is ${status}, not ${wanted}.`)
}
