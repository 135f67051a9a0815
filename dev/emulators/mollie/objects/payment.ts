import type { PaymentResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import type { PaymentRecord } from '../../core/domain/money-records.ts'
import { disputesOf, refundedOf } from '../../core/domain/reversals.ts'
import { modeOf, profileOf } from '../accounts.ts'
import { amountOf } from '../amounts.ts'
import { dateTime } from '../dates.ts'
import { paymentOwn } from '../own.ts'
import { isCancelable } from '../payments.ts'
import { dashboard, documentation, hal, page, type Wire } from './wire.ts'

type PaymentObject = Wire<PaymentResponse>

export function paymentObject(payment: PaymentRecord, context: AccountContext): PaymentObject {
  const { account, customer, mandate, subscription, status, expiresAt } = payment
  const { cancelUrl, ...own } = paymentOwn(payment)
  return {
    resource: 'payment',
    id: payment.id,
    mode: modeOf(account),
    createdAt: dateTime(payment.created),
    amount: amountOf(payment.amount, payment.currency),
    ...returned(context, payment),
    description: payment.description,
    method: payment.method,
    status,
    ...((status === 'open' || status === 'pending') && { isCancelable: isCancelable(payment) }),
    ...(status === 'open' && expiresAt !== null && { expiresAt: dateTime(expiresAt) }),
    ...(payment.endedAt !== null && { [`${status}At`]: dateTime(payment.endedAt) }),
    details: details(payment),
    profileId: profileOf(account),
    ...(customer !== null && { customerId: customer }),
    ...(mandate !== null && { mandateId: mandate }),
    ...(subscription !== null && { subscriptionId: subscription }),
    ...own,
    ...(cancelUrl !== null && { cancelUrl }),
    _links: links(payment, context.url),
  }
}

/** The amounts that went back to the payer, and that still can. Only a paid payment has them. */
function returned(context: AccountContext, payment: PaymentRecord) {
  if (payment.status !== 'paid') return {}
  const { amount, currency } = payment
  const refunded = refundedOf(context, payment)
  const isChargedBack = disputesOf(context, payment).some(({ status }) => status !== 'won')
  return {
    amountRefunded: amountOf(refunded, currency),
    amountRemaining: amountOf(amount - refunded, currency),
    ...(isChargedBack && { amountChargedBack: amountOf(amount, currency) }),
  }
}

function details({ status, method }: PaymentRecord): PaymentObject['details'] {
  if (method !== 'creditcard') return null
  if (status === 'paid') return { cardNumber: '4242', cardHolder: 'T. Tester', cardLabel: 'Visa' }
  return status === 'failed' ? { failureReason: 'insufficient_funds' } : null
}

function links({ id, status, customer, mandate, subscription }: PaymentRecord, url: string): PaymentObject['_links'] {
  const self = `${url}/v2/payments/${id}`
  const owner = `${url}/v2/customers/${customer}`
  return {
    self: hal(self),
    ...(status === 'open' && { checkout: page(`${url}/checkout/${id}`) }),
    dashboard: dashboard(`payments/${id}`),
    refunds: hal(`${self}/refunds`),
    chargebacks: hal(`${self}/chargebacks`),
    ...(customer !== null && { customer: hal(owner) }),
    ...(mandate !== null && { mandate: hal(`${owner}/mandates/${mandate}`) }),
    ...(subscription !== null && { subscription: hal(`${owner}/subscriptions/${subscription}`) }),
    documentation: documentation('get-payment'),
  }
}
