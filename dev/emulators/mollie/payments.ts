import * as z from 'zod'
import { type AccountContext, find, lookUp, newestFirst } from '../core/domain/context.ts'
import { declines } from '../core/domain/customers.ts'
import { validMandate } from '../core/domain/mandates.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { awaitsTransfer, findPayment, finishPayment, refusePaymentUnless } from '../core/domain/payment-pages.ts'
import { attemptPayment, openPayment } from '../core/domain/payments.ts'
import { refundableAmount, refundPayment } from '../core/domain/reversals.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { parseWith } from '../core/wire/parse.ts'
import { Amount, minorUnits, toAmount } from './amounts.ts'
import { mollieError, unprocessable, wrongBody } from './errors.ts'
import { Metadata } from './own.ts'
import { locale } from './parameters.ts'

/**
 * How long a payment's page is open: Mollie's "session timeout" for cards (docs.mollie.com/docs/cards), unless a slower method is
 * chosen.
 */
const OPEN_SECONDS = 15 * 60

export const PaymentBody = z.strictObject({
  amount: Amount,
  description: z.string().min(1).max(255),
  redirectUrl: optional(webAddress),
  cancelUrl: optional(webAddress),
  webhookUrl: optional(webAddress),
  sequenceType: z.enum(['oneoff', 'first', 'recurring']).default('oneoff'),
  customerId: optional(z.string()),
  mandateId: optional(z.string()),
  method: optional(z.union([z.string(), z.array(z.string())])),
  locale: optional(locale),
  metadata: optional(Metadata),
})

export function createPayment(context: AccountContext, body: z.output<typeof PaymentBody>): PaymentRecord {
  const { amount, description, customerId: customer, mandateId, method, ...own } = body
  if (minorUnits(amount) === 0 && own.sequenceType !== 'first') {
    throw unprocessable('The amount is lower than the minimum', 'amount')
  }
  if (customer === null && own.sequenceType !== 'oneoff') {
    throw unprocessable(`A ${own.sequenceType} payment needs a customer`, 'customerId')
  }
  if (customer !== null && !lookUp(context, 'customers', customer)) {
    throw unprocessable(`The customer id is invalid: ${customer}`, 'customerId')
  }
  if (own.sequenceType === 'recurring') return chargeMandate(context, body)
  // "The parameter can be omitted for recurring payments": docs.mollie.com/reference/create-payment.
  if (own.redirectUrl === null) throw unprocessable('The redirect url is missing', 'redirectUrl')
  if (mandateId !== null) throw unprocessable('Only a recurring payment has a mandate', 'mandateId')
  return openPayment(context, {
    amount: minorUnits(amount),
    currency: amount.currency,
    customer,
    description,
    // With several methods the payer chooses one.
    method: typeof method === 'string' ? method : null,
    givesMandate: own.sequenceType === 'first',
    expiresAt: context.now + OPEN_SECONDS,
    own,
  })
}

/**
 * Charges a mandate, as `sequenceType: recurring` does: "the customer's card is charged automatically"
 * (docs.mollie.com/reference/create-payment). How fast is not documented; "it can take a while for the payment to reach its definitive
 * state" (github.com/mollie/laravel-cashier-mollie/issues/171). Here a card is charged at once, unless `slowCharges` is on, and a direct
 * debit is pending. Without a mandate: "No suitable mandates found for customer.", as for a subscription.
 */
function chargeMandate(
  context: AccountContext,
  { amount, description, customerId, mandateId, method, ...own }: z.output<typeof PaymentBody>,
): PaymentRecord {
  const customer = find(context, 'customers', customerId ?? '').id
  const mandate = validMandate(context, customer, { id: mandateId, method: typeof method === 'string' ? method : null })
  if (!mandate) throw unprocessable('No suitable mandates found for customer.')
  const payment = openPayment(context, {
    amount: minorUnits(amount),
    currency: amount.currency,
    customer,
    description,
    mandate: mandate.id,
    method: mandate.method,
    own: { ...own, redirectUrl: null, cancelUrl: null },
  })
  if (mandate.method === 'directdebit' || context.isOn('slowCharges'))
    return attemptPayment(context, payment, 'pending')
  return finishPayment(context, payment, declines(context, customer) ? 'failed' : 'paid')
}

/** The seller cancels a payment. Mollie allows it only after the payer has chosen a method that supports it. */
export function cancelPayment(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  if (!awaitsTransfer(payment)) throw unprocessable('The payment cannot be canceled')
  return finishPayment(context, payment, 'canceled')
}

export const PaymentUpdate = z.strictObject({ metadata: optional(Metadata) })

export function updatePayment(
  _: AccountContext,
  payment: PaymentRecord,
  { metadata }: z.output<typeof PaymentUpdate>,
): PaymentRecord {
  payment.own = { ...payment.own, metadata }
  return payment
}

export const RefundBody = z.strictObject({
  amount: Amount,
  description: optional(z.string().max(255)),
  metadata: optional(Metadata),
})

/** Refunds an amount of a paid payment, at once unless `slowRefunds` is on. */
export function refund(context: AccountContext, body: z.output<typeof RefundBody>, [id]: [string, ...unknown[]]) {
  const payment = findPayment(context, id)
  refusePaymentUnless(context, payment, 'paid')
  const { amount, description, metadata } = body
  const minor = minorUnits(amount)
  if (amount.currency !== payment.currency) throw unprocessable('The currency is not that of the payment', 'amount')
  if (minor === 0) throw unprocessable('The amount is lower than the minimum', 'amount')
  if (minor > refundableAmount(context, payment)) {
    throw unprocessable('The specified amount cannot be refunded', 'amount')
  }
  const own = { description: description ?? payment.description, metadata }
  const slow = context.isOn('slowRefunds') && { status: 'queued' as const }
  return refundPayment(context, payment, { amount: minor, own, ...slow })
}

/**
 * The API's own. It refuses a refund that looks like a repetition: "A duplicate refund has been detected" (409, among the responses of
 * reference/v2/refunds-api/create-payment-refund in github.com/mollie/api-documentation). That it compares the amount, and for a minute, is
 * UNVERIFIED.
 */
export function createRefund(...[context, body, ids]: Parameters<typeof refund>): RefundRecord {
  const { id } = findPayment(context, ids[0])
  const earlier = newestFirst(context, 'refunds', { payment: id })
  const isRepeated = ({ amount, created }: RefundRecord) =>
    amount === minorUnits(body.amount) && created > context.now - DUPLICATE_SECONDS
  if (earlier.some(isRepeated)) throw mollieError(409, 'A duplicate refund has been detected')
  return refund(context, body, ids)
}

const DUPLICATE_SECONDS = 60

/** The same for the emulator's control. `value`: a decimal string, by default all that is left. */
export function refundPart(context: AccountContext, payment: PaymentRecord, value?: string): RefundRecord {
  const { id, currency } = payment
  const part = value !== undefined && parseWith(Amount, { currency, value }, wrongBody)
  const amount = part || toAmount(refundableAmount(context, payment), currency)
  return refund(context, { amount, description: null, metadata: null }, [id])
}
