import type { PaymentEntity } from '@freemius/sdk'
import { type AccountContext, all, find } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, paymentOwn } from '../own.ts'
import { licenseOf } from './license.ts'
import { currencyOf, dateTime, decimal, type Full, idsOf } from './wire.ts'

/** `bound_payment_id` is null where a payment is bound to no other. */
type Payment = Omit<Full<PaymentEntity>, 'bound_payment_id'> & { bound_payment_id: string | null }
type Changes = Pick<Payment, 'id' | 'created' | 'gross' | 'bound_payment_id' | 'type'> & Partial<Payment>

export function paymentObject(payment: PaymentRecord, context: AccountContext): Payment {
  const { id, amount } = payment
  // A renewal that is made before its time has the date on which it is due.
  const dueAt = all(context, 'invoices').find((invoice) => invoice.payment === id)?.periodStart ?? 0
  const created = dateTime(Math.max(payment.created, dueAt))
  const own = { id, created, gross: decimal(amount), bound_payment_id: null }
  return objectOf(payment, context, { ...own, type: 'payment' })
}

/** A refund is a payment of its own, of a negative amount. */
export const refundObject = ({ id, created, amount, payment }: RefundRecord, context: AccountContext): Payment =>
  objectOf(find(context, 'payments', payment), context, {
    ...{ id, created: dateTime(created), gross: decimal(-amount), bound_payment_id: payment },
    type: 'refund',
    refund_reason: 'Refunded in the dashboard.',
  })

const DISPUTES = { open: 'disputed', won: 'won_dispute', lost: 'lost_dispute' } as const

/** So is a dispute. That its amount is negative, whatever came of it, is UNVERIFIED. */
export const disputeObject = ({ id, created, amount, payment, status }: DisputeRecord, context: AccountContext) =>
  objectOf(find(context, 'payments', payment), context, {
    ...{ id, created: dateTime(created), gross: decimal(-amount), bound_payment_id: payment },
    type: DISPUTES[status],
  })

/** All payments of a user, the newest first. A payment that failed is none at Freemius. */
export function paymentsOf(userId: string, context: AccountContext): Payment[] {
  const ofUser = new Set(all(context, 'payments').flatMap(({ id, customer }) => (customer === userId ? [id] : [])))
  const bound = ({ payment }: { payment: string }) => ofUser.has(payment)
  return [
    ...all(context, 'payments')
      .filter(({ id, status }) => status === 'paid' && ofUser.has(id))
      .map((payment) => paymentObject(payment, context)),
    ...all(context, 'refunds')
      .filter(bound)
      .map((refund) => refundObject(refund, context)),
    ...all(context, 'disputes')
      .filter(bound)
      .map((dispute) => disputeObject(dispute, context)),
  ].toSorted((one, other) => Number(other.id) - Number(one.id))
}

/** The licence that a payment, or its subscription, is about. */
export function licenseOfPayment(payment: PaymentRecord, context: AccountContext): PageRecord {
  const { license } = paymentOwn(payment)
  if (license !== null) return find(context, 'pages', license)
  return licenseOf(find(context, 'subscriptions', payment.subscription ?? ''), context)
}

function objectOf(payment: PaymentRecord, context: AccountContext, changes: Changes): Payment {
  const license = licenseOfPayment(payment, context)
  return {
    updated: null,
    user_id: payment.customer ?? '',
    install_id: null,
    ...idsOf(license.price),
    license_id: license.id,
    ...{ ip: '127.0.0.1', country_code: 'us', zip_postal_code: null, vat_id: null, coupon_id: null },
    ...{ user_card_id: '1', source: 0, external_id: `ch_${changes.id}`, gateway: 'stripe' },
    plugin_id: payment.account,
    environment: licenseOwn(license).environment,
    currency: currencyOf(payment.currency),
    refund_reason: null,
    subscription_id: payment.subscription,
    gateway_fee: 0,
    vat: 0,
    is_renewal: payment.description === 'Subscription update',
    ...changes,
  }
}
