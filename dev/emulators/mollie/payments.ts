import * as z from 'zod'
import { newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { Amount, minorUnits } from './amounts.ts'
import { unprocessable } from './errors.ts'
import { newMandate } from './mandates.ts'
import { Metadata } from './metadata.ts'
import { isCancelable, paymentObject } from './objects/payment.ts'
import { locale, optional, webAddress } from './parameters.ts'
import type { PaymentRecord } from './records.ts'

/*
 * The life of a payment: it is created open; on its page the payer pays, pays with money that arrives later, chooses a
 * bank transfer, fails or cancels; nobody comes, and it expires. Whatever ends it goes through `endPayment`, which
 * sends the event and makes the mandate.
 */

/** How long a payment's page is open: the time Mollie gives for a card, as long as no slower method is chosen. */
const OPEN_SECONDS = 15 * 60

/** How long the payer of a bank transfer has: twelve days, Mollie's default. */
const TRANSFER_SECONDS = 12 * 24 * 3600

export const PaymentBody = z.strictObject({
  amount: Amount,
  description: z.string().min(1).max(255),
  redirectUrl: webAddress,
  cancelUrl: optional(webAddress),
  webhookUrl: optional(webAddress),
  sequenceType: z.enum(['oneoff', 'first']).default('oneoff'),
  customerId: optional(z.string()),
  method: optional(z.union([z.string(), z.array(z.string())])),
  locale: optional(locale),
  metadata: optional(Metadata),
})

export function createPayment(context: AccountContext, body: z.output<typeof PaymentBody>): PaymentRecord {
  const { customerId: customer, method, sequenceType, ...given } = body
  if (minorUnits(given.amount) === 0 && sequenceType !== 'first') {
    throw unprocessable('The amount is lower than the minimum', 'amount')
  }
  if (customer === null && sequenceType === 'first') {
    throw unprocessable('A first payment needs a customer', 'customerId')
  }
  if (customer !== null && context.records.customers.get(customer)?.account !== context.account.id) {
    throw unprocessable(`The customer id is invalid: ${customer}`, 'customerId')
  }
  const payment: PaymentRecord = {
    ...newRecord(context, 'tr_', 8),
    ...given,
    sequenceType,
    customer,
    // If several methods are given, the payer is going to choose one.
    method: typeof method === 'string' ? method : null,
    mandate: null,
    subscription: null,
    status: 'open',
    expiresAt: context.now + OPEN_SECONDS,
    endedAt: null,
  }
  context.records.payments.set(payment.id, payment)
  return payment
}

export function findPayment(context: AccountContext, id: string): PaymentRecord {
  const payment = find(context, context.records.payments, 'payment', id)
  expireIfDue(context, payment)
  return payment
}

/** Expires an open payment whose time is over. */
export function expireIfDue(context: AccountContext, payment: PaymentRecord): void {
  if (payment.status !== 'open' || payment.expiresAt === null || payment.expiresAt > context.now) return
  endPayment(context, payment, 'expired')
}

/** The payment with that id. Throws a 422 if it is not open. */
export function findOpen(context: AccountContext, id: string): PaymentRecord {
  return findWithStatus(context, id, 'open')
}

/** The seller cancels a payment. Mollie lets them only after the payer has chosen a method that allows it. */
export function cancelPayment(context: AccountContext, id: string): PaymentRecord {
  const payment = findPayment(context, id)
  if (!isCancelable(payment)) throw unprocessable('The payment cannot be canceled')
  return endPayment(context, payment, 'canceled')
}

export const PaymentUpdate = z.strictObject({ metadata: optional(Metadata) })

export function updatePayment(
  context: AccountContext,
  body: z.output<typeof PaymentUpdate>,
  id: string,
): PaymentRecord {
  const payment = findPayment(context, id)
  payment.metadata = body.metadata
  return payment
}

/** The payer is going to transfer the money from their bank: the payment stays open for as long as that may take. */
export function chooseTransfer(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.method = 'banktransfer'
  payment.expiresAt = context.now + TRANSFER_SECONDS
  return payment
}

export function expirePayment(context: AccountContext, id: string): PaymentRecord {
  return endPayment(context, findOpen(context, id), 'expired')
}

/** The payer has paid, but the money has not arrived yet. */
export function payLater(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.status = 'pending'
  payment.method ??= 'creditcard'
  context.emit('payment.pending', paymentObject(context, payment))
  return payment
}

/** The money of a pending payment, or of a bank transfer, arrives, or is known not to arrive. */
export function resolvePayment(context: AccountContext, id: string, succeeds: boolean): PaymentRecord {
  const payment = findPayment(context, id)
  const awaited = isCancelable(payment) ? payment : findWithStatus(context, id, 'pending')
  return endPayment(context, awaited, succeeds ? 'paid' : 'failed')
}

/** Gives a payment its last status and sends the event. A first payment that is paid makes a mandate. */
export function endPayment(
  context: AccountContext,
  payment: PaymentRecord,
  status: 'paid' | 'failed' | 'canceled' | 'expired',
): PaymentRecord {
  payment.status = status
  // `renew` charges ahead of the clock: such a payment ends at the time for which it was made.
  payment.endedAt = payment.subscription === null ? context.now : payment.created
  if (status === 'paid' || status === 'failed') payment.method ??= 'creditcard'
  if (status === 'paid' && payment.sequenceType === 'first' && payment.customer !== null) {
    payment.mandate = newMandate(context, payment, payment.customer).id
  }
  context.emit(`payment.${status}`, paymentObject(context, payment))
  return payment
}

function findWithStatus(context: AccountContext, id: string, status: PaymentRecord['status']): PaymentRecord {
  const payment = findPayment(context, id)
  if (payment.status !== status) throw unprocessable(`Payment ${id} is ${payment.status}, not ${status}.`)
  return payment
}
