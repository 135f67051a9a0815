import type { EntityChargeback, PaymentResponse, RefundResponse } from 'mollie-api-typescript/models'
import { type AccountContext, find, showEach } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { awaitsTransfer } from '../../core/domain/payment-pages.ts'
import { isReversed, listDisputes, listRefunds, refundedAmount } from '../../core/domain/reversals.ts'
import { accountMode, accountProfile } from '../accounts.ts'
import { toAmount } from '../amounts.ts'
import { dateTime } from '../dates.ts'
import { chargebackOwn, paymentOwn, refundOwn } from '../own.ts'
import { dashboard, page, resource, type Wire } from './wire.ts'

/* Payments, refunds and chargebacks. */

const paymentAddress = (payment: string, { url }: AccountContext) => `${url}/v2/payments/${payment}`

export function paymentObject(payment: PaymentRecord, context: AccountContext): Wire<PaymentResponse> {
  const { id, account, description, method, customer, mandate, subscription, status, expiresAt } = payment
  const { cancelUrl, paidUntil: _, ...own } = paymentOwn(payment)
  const owner = `${context.url}/v2/customers/${customer}`
  const self = paymentAddress(id, context)
  const linked = {
    // Present only if there are any: `hasRefunds` and `hasChargebacks` of mollie-api-php rely on it.
    ...(listRefunds(context, payment).length > 0 && { refunds: `${self}/refunds` }),
    ...(listDisputes(context, payment).length > 0 && { chargebacks: `${self}/chargebacks` }),
    ...(customer !== null && { customer: owner }),
    ...(mandate !== null && { mandate: `${owner}/mandates/${mandate}` }),
    ...(subscription !== null && { subscription: `${owner}/subscriptions/${subscription}` }),
  }
  const pages = {
    dashboard: dashboard(`payments/${id}`),
    ...(status === 'open' && { checkout: page(`${context.url}/checkout/${id}`) }),
  }
  return {
    ...resource('payment', payment, self, linked, pages),
    mode: accountMode(account),
    amount: toAmount(payment.amount, payment.currency),
    ...returned(context, payment),
    description,
    method,
    status,
    details: details(payment),
    profileId: accountProfile(account),
    // The seller can cancel only a payment that waits for a bank transfer.
    ...((status === 'open' || status === 'pending') && { isCancelable: awaitsTransfer(payment) }),
    ...(status === 'open' && expiresAt !== null && { expiresAt: dateTime(expiresAt) }),
    ...(payment.endedAt !== null && { [`${status}At`]: dateTime(payment.endedAt) }),
    ...(customer !== null && { customerId: customer }),
    ...(mandate !== null && { mandateId: mandate }),
    ...(subscription !== null && { subscriptionId: subscription }),
    ...own,
    ...(cancelUrl !== null && { cancelUrl }),
  }
}

/** A payment with embedded objects. */
export function paymentWith(payment: PaymentRecord, embed: string[], context: AccountContext) {
  const shown = context.show('payments', payment)
  if (embed.length === 0) return shown
  const embedded = {
    ...(embed.includes('refunds') && { refunds: showEach(context, 'refunds', listRefunds(context, payment)) }),
    ...(embed.includes('chargebacks') && {
      chargebacks: showEach(context, 'disputes', listDisputes(context, payment)),
    }),
  }
  return { ...shown, _embedded: embedded }
}

/** The refunded and the refundable amount. Only paid payments have them. */
function returned(context: AccountContext, payment: PaymentRecord) {
  if (payment.status !== 'paid') return {}
  const { amount, currency } = payment
  const refunded = refundedAmount(context, payment)
  return {
    amountRefunded: toAmount(refunded, currency),
    amountRemaining: toAmount(amount - refunded, currency),
    ...(isReversed(context, payment) && { amountChargedBack: toAmount(amount, currency) }),
  }
}

function details({ status, method }: PaymentRecord): Wire<PaymentResponse>['details'] {
  if (method !== 'creditcard') return null
  if (status === 'paid') return { cardNumber: '4242', cardHolder: 'T. Tester', cardLabel: 'Visa' }
  return status === 'failed' ? { failureReason: 'insufficient_funds' } : null
}

export const refundObject = (refund: RefundRecord, context: AccountContext): Wire<RefundResponse> => ({
  ...reversal('refund', refund, context),
  mode: accountMode(refund.account),
  status: refund.status,
  ...refundOwn(refund),
})

export const chargebackObject = (chargeback: DisputeRecord, context: AccountContext): Wire<EntityChargeback> => ({
  ...reversal('chargeback', chargeback, context),
  ...bankReason(chargeback),
  reversedAt: chargeback.status === 'won' && chargeback.closedAt !== null ? dateTime(chargeback.closedAt) : null,
})

/** A bounced direct debit has the code of the payer's bank; a card's chargeback has none. */
function bankReason(chargeback: DisputeRecord) {
  const { code } = chargebackOwn(chargeback)
  return code === null ? {} : { reason: { code, description: REASONS[code] ?? 'Returned by the bank' } }
}

/** ISO 20022 codes, as in docs.mollie.com/docs/handling-chargebacks-sepa-direct-debit. */
const REASONS: Record<string, string> = {
  AC01: 'Account identifier incorrect (i.e. invalid IBAN)',
  AM04: 'Insufficient funds',
  MD06: 'Refund requested by end customer',
}

function reversal<Kind extends string>(kind: Kind, record: RefundRecord | DisputeRecord, context: AccountContext) {
  const payment = paymentAddress(record.payment, context)
  return {
    ...resource(kind, record, `${payment}/${kind}s/${record.id}`, { payment }),
    amount: toAmount(record.amount, find(context, 'payments', record.payment).currency),
    paymentId: record.payment,
  }
}
