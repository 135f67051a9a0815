import type { PaymentResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../account-context.ts'
import { modeOf, profileOf } from '../accounts.ts'
import { amountOf, minorUnits } from '../amounts.ts'
import { dateTime } from '../dates.ts'
import type { PaymentRecord } from '../records.ts'
import { dashboard, documentation, hal, page, type Wire } from './wire.ts'

type PaymentObject = Wire<PaymentResponse>

/** Whether the seller can cancel a payment: only one that waits for a bank transfer. */
export const isCancelable = ({ status, method }: PaymentRecord) => status === 'open' && method === 'banktransfer'

export function paymentObject(context: AccountContext, payment: PaymentRecord): PaymentObject {
  const { customer, subscription, status, expiresAt } = payment
  return {
    resource: 'payment',
    id: payment.id,
    mode: modeOf(payment.account),
    createdAt: dateTime(payment.created),
    amount: payment.amount,
    ...returned(context, payment),
    description: payment.description,
    method: payment.method,
    metadata: payment.metadata,
    status,
    ...((status === 'open' || status === 'pending') && { isCancelable: isCancelable(payment) }),
    ...(status === 'open' && expiresAt !== null && { expiresAt: dateTime(expiresAt) }),
    ...endTime(payment),
    details: details(payment),
    locale: payment.locale,
    profileId: profileOf(payment.account),
    ...(customer !== null && { customerId: customer }),
    ...(payment.mandate !== null && { mandateId: payment.mandate }),
    ...(subscription !== null && { subscriptionId: subscription }),
    sequenceType: payment.sequenceType,
    redirectUrl: payment.redirectUrl,
    ...(payment.cancelUrl !== null && { cancelUrl: payment.cancelUrl }),
    webhookUrl: payment.webhookUrl,
    _links: links(payment, context.url),
  }
}

/** The amounts that went back to the payer, and that still can. Only a paid payment has them. */
function returned({ records }: AccountContext, { id, status, amount }: PaymentRecord) {
  if (status !== 'paid') return {}
  const sum = (rows: Iterable<{ payment: string; amount: PaymentRecord['amount'] }>) =>
    [...rows].filter(({ payment }) => payment === id).reduce((total, row) => total + minorUnits(row.amount), 0)
  const refunded = sum(records.refunds.values())
  const chargedBack = sum(records.chargebacks.values())
  const { currency } = amount
  return {
    amountRefunded: amountOf(refunded, currency),
    amountRemaining: amountOf(minorUnits(amount) - refunded, currency),
    ...(chargedBack > 0 && { amountChargedBack: amountOf(chargedBack, currency) }),
  }
}

function endTime({ status, endedAt }: PaymentRecord): Partial<PaymentObject> {
  if (endedAt === null) return {}
  const at = dateTime(endedAt)
  switch (status) {
    case 'paid':
      return { paidAt: at }
    case 'failed':
      return { failedAt: at }
    case 'canceled':
      return { canceledAt: at }
    case 'expired':
      return { expiredAt: at }
    default:
      return {}
  }
}

function details({ status, method }: PaymentRecord): PaymentObject['details'] {
  if (method !== 'creditcard') return null
  if (status === 'paid') return { cardNumber: '4242', cardHolder: 'T. Tester', cardLabel: 'Visa' }
  return status === 'failed' ? { failureReason: 'insufficient_funds' } : null
}

function links(payment: PaymentRecord, url: string): PaymentObject['_links'] {
  const { id, customer, mandate, subscription } = payment
  const self = `${url}/v2/payments/${id}`
  const owner = `${url}/v2/customers/${customer}`
  return {
    self: hal(self),
    ...(payment.status === 'open' && { checkout: page(`${url}/checkout/${id}`) }),
    dashboard: dashboard(`payments/${id}`),
    refunds: hal(`${self}/refunds`),
    chargebacks: hal(`${self}/chargebacks`),
    ...(customer !== null && { customer: hal(owner) }),
    ...(mandate !== null && { mandate: hal(`${owner}/mandates/${mandate}`) }),
    ...(subscription !== null && { subscription: hal(`${owner}/subscriptions/${subscription}`) }),
    documentation: documentation('get-payment'),
  }
}
