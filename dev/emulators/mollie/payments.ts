import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import { newMandate } from '../core/domain/mandates.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { attemptPayment, endPayment, openPayment } from '../core/domain/payments.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { Amount, minorUnits } from './amounts.ts'
import { unprocessable } from './errors.ts'
import { Metadata, paymentOwn } from './own.ts'
import { locale } from './parameters.ts'

/*
 * The life of a payment: it is created open; on its page the payer pays, pays with money that arrives later, chooses a
 * bank transfer, fails or cancels; nobody comes, and it expires. Whatever ends it goes through `finish`, which makes the
 * mandate.
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
  const { amount, description, customerId: customer, method, ...own } = body
  if (minorUnits(amount) === 0 && own.sequenceType !== 'first') {
    throw unprocessable('The amount is lower than the minimum', 'amount')
  }
  if (customer === null && own.sequenceType === 'first') {
    throw unprocessable('A first payment needs a customer', 'customerId')
  }
  if (customer !== null && context.records.customers.get(customer)?.account !== context.account.id) {
    throw unprocessable(`The customer id is invalid: ${customer}`, 'customerId')
  }
  return openPayment(context, {
    amount: minorUnits(amount),
    currency: amount.currency,
    customer,
    description,
    // If several methods are given, the payer is going to choose one.
    method: typeof method === 'string' ? method : null,
    expiresAt: context.now + OPEN_SECONDS,
    own,
  })
}

export function findPayment(context: AccountContext, id: string): PaymentRecord {
  const payment = find(context, 'payments', id)
  expireIfOver(context, payment)
  return payment
}

/** Expires an open payment whose time is over. */
export function expireIfOver(context: AccountContext, payment: PaymentRecord): void {
  if (payment.status !== 'open' || payment.expiresAt === null || payment.expiresAt > context.now) return
  finish(context, payment, 'expired')
}

/** Whether the seller can cancel a payment: only one that waits for a bank transfer. */
export const isCancelable = ({ status, method }: PaymentRecord) => status === 'open' && method === 'banktransfer'

/** The seller cancels a payment. Mollie lets them only after the payer has chosen a method that allows it. */
export function cancelPayment(context: AccountContext, id: string): PaymentRecord {
  const payment = findPayment(context, id)
  if (!isCancelable(payment)) throw unprocessable('The payment cannot be canceled')
  return finish(context, payment, 'canceled')
}

export const PaymentUpdate = z.strictObject({ metadata: optional(Metadata) })

export function updatePayment(
  context: AccountContext,
  { metadata }: z.output<typeof PaymentUpdate>,
  id: string,
): PaymentRecord {
  const payment = findPayment(context, id)
  payment.own = { ...payment.own, metadata }
  return payment
}

/** The payer is going to transfer the money from their bank: the payment stays open for as long as that may take. */
export function chooseTransfer(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.method = 'banktransfer'
  payment.expiresAt = context.now + TRANSFER_SECONDS
  return payment
}

/** The payer has paid, but the money has not arrived yet. */
export function payLater(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  payment.method ??= 'creditcard'
  return attemptPayment(context, payment, 'pending')
}

/** The money of a pending payment, or of a bank transfer, arrives, or is known not to arrive. */
export function resolvePayment(context: AccountContext, payment: PaymentRecord, succeeds: boolean): PaymentRecord {
  if (!isCancelable(payment)) refuseUnless(payment, 'pending')
  return finish(context, payment, succeeds ? 'paid' : 'failed')
}

/** Gives a payment its last status. A first payment that is paid makes a mandate. */
export function finish(
  context: AccountContext,
  payment: PaymentRecord,
  status: Parameters<typeof endPayment>[2],
): PaymentRecord {
  const { sequenceType } = paymentOwn(payment)
  if (status === 'paid' || status === 'failed') payment.method ??= 'creditcard'
  if (status === 'paid' && sequenceType === 'first' && payment.customer !== null) {
    const slow = context.isOn('slowMandates') || context.isOn('pendingMandates')
    const method = mandateMethod(payment.method)
    payment.mandate = newMandate(context, { customer: payment.customer, payment: payment.id, method, slow }).id
  }
  // `renew` charges ahead of the clock: such a payment ends at the time for which it was made.
  return endPayment(context, payment, status, payment.subscription === null ? context.now : payment.created)
}

export function refuseUnless({ id, status }: PaymentRecord, wanted: PaymentRecord['status']): void {
  if (status !== wanted) throw unprocessable(`Payment ${id} is ${status}, not ${wanted}.`)
}

/** Methods that need the customer at every payment, such as iDEAL, give a mandate for direct debit. */
const mandateMethod = (method: string | null) =>
  method === 'creditcard' || method === 'paypal' ? method : 'directdebit'
