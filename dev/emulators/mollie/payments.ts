import * as z from 'zod'
import { newRecord } from '../core/new-record.ts'
import { find, type Ledger } from './account-context.ts'
import { Amount, minorUnits } from './amounts.ts'
import { unprocessable } from './errors.ts'
import { newMandate } from './mandates.ts'
import { Metadata } from './metadata.ts'
import { paymentObject } from './objects/payment.ts'
import { locale, optional, webAddress } from './parameters.ts'
import type { PaymentRecord } from './records.ts'

/** How long a payment's page is open: Mollie's session for a card. Nobody has chosen a method yet that has longer. */
const OPEN_SECONDS = 15 * 60

/** How long the payer of a bank transfer has: Mollie's default of twelve days. */
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

export function createPayment(ledger: Ledger, body: z.output<typeof PaymentBody>): PaymentRecord {
  const { customerId: customer, method, sequenceType, ...given } = body
  if (minorUnits(given.amount) === 0 && sequenceType !== 'first') {
    throw unprocessable('The amount is lower than the minimum', 'amount')
  }
  if (customer === null && sequenceType === 'first') {
    throw unprocessable('A first payment needs a customer', 'customerId')
  }
  if (customer !== null && ledger.records.customers.get(customer)?.account !== ledger.account.id) {
    throw unprocessable(`The customer id is invalid: ${customer}`, 'customerId')
  }
  const payment: PaymentRecord = {
    ...newRecord(ledger, 'tr_', 8),
    ...given,
    sequenceType,
    customer,
    // Several methods are a choice for the payer, and none is chosen yet.
    method: typeof method === 'string' ? method : null,
    mandate: null,
    subscription: null,
    status: 'open',
    expiresAt: ledger.now + OPEN_SECONDS,
    endedAt: null,
  }
  ledger.records.payments.set(payment.id, payment)
  return payment
}

export function findPayment(ledger: Ledger, id: string): PaymentRecord {
  const payment = find(ledger, ledger.records.payments, 'payment', id)
  expireIfDue(ledger, payment)
  return payment
}

/** Closes a payment's page when its time has come. */
export function expireIfDue(ledger: Ledger, payment: PaymentRecord): void {
  if (payment.status !== 'open' || payment.expiresAt === null || payment.expiresAt > ledger.now) return
  endPayment(ledger, payment, 'expired')
}

/** An open payment of that id; a 422 that says what it is instead. */
export function findOpen(ledger: Ledger, id: string): PaymentRecord {
  return findIn(ledger, id, 'open')
}

/** The seller calls it off, if its method lets them: nobody has chosen one yet on a page that is just open. */
export function cancelPayment(ledger: Ledger, id: string): PaymentRecord {
  const payment = findPayment(ledger, id)
  if (!isCancelable(payment)) throw unprocessable('The payment cannot be canceled')
  return endPayment(ledger, payment, 'canceled')
}

export const isCancelable = ({ status, method }: PaymentRecord) => status === 'open' && method === 'banktransfer'

export const PaymentUpdate = z.strictObject({ metadata: optional(Metadata) })

export function updatePayment(ledger: Ledger, body: z.output<typeof PaymentUpdate>, id: string): PaymentRecord {
  const payment = findPayment(ledger, id)
  payment.metadata = body.metadata
  return payment
}

/** The payer is going to transfer the money from their bank by themselves: the payment stays open for that long. */
export function chooseTransfer(ledger: Ledger, payment: PaymentRecord): PaymentRecord {
  payment.method = 'banktransfer'
  payment.expiresAt = ledger.now + TRANSFER_SECONDS
  return payment
}

export function expirePayment(ledger: Ledger, id: string): PaymentRecord {
  return endPayment(ledger, findOpen(ledger, id), 'expired')
}

/** The payer has done their part, and the money is on its way. */
export function payLater(ledger: Ledger, payment: PaymentRecord): PaymentRecord {
  payment.status = 'pending'
  payment.method ??= 'creditcard'
  ledger.emit('payment.pending', paymentObject(ledger, payment))
  return payment
}

/** The money of a payment that is pending, or was to be transferred, has come, or will not. */
export function settlePayment(ledger: Ledger, id: string, succeeds: boolean): PaymentRecord {
  const payment = findPayment(ledger, id)
  const underWay = isCancelable(payment) ? payment : findIn(ledger, id, 'pending')
  return endPayment(ledger, underWay, succeeds ? 'paid' : 'failed')
}

/** What became of it, for good. A paid first payment makes a mandate. */
export function endPayment(
  ledger: Ledger,
  payment: PaymentRecord,
  status: 'paid' | 'failed' | 'canceled' | 'expired',
): PaymentRecord {
  payment.status = status
  // A subscription's payments are on its own clock, which `renew` moves on.
  payment.endedAt = payment.subscription === null ? ledger.now : payment.created
  if (status === 'paid' || status === 'failed') payment.method ??= 'creditcard'
  if (status === 'paid' && payment.sequenceType === 'first' && payment.customer !== null) {
    payment.mandate = newMandate(ledger, payment, payment.customer).id
  }
  ledger.emit(`payment.${status}`, paymentObject(ledger, payment))
  return payment
}

function findIn(ledger: Ledger, id: string, status: PaymentRecord['status']): PaymentRecord {
  const payment = findPayment(ledger, id)
  if (payment.status !== status) throw unprocessable(`Payment ${id} is ${payment.status}, not ${status}.`)
  return payment
}
