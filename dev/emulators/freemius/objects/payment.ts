import { type AccountContext, all, find, newestOf } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf, refundsOf } from '../../core/domain/reversals.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, paymentOwn } from '../own.ts'
import { licenseOf } from './license.ts'
import { complete, currencyOf, dateTime, decimal, idsOf } from './wire.ts'

/** What differs between a payment and what goes back of one, which is a payment of its own. */
interface About {
  id: string
  created: number
  amount: number
  type: 'payment' | 'refund' | 'disputed' | 'won_dispute' | 'lost_dispute'
  bound?: string
}

export function paymentObject(payment: PaymentRecord, context: AccountContext) {
  const { id, amount } = payment
  // A renewal that is made before its time has the date on which it is due.
  const dueAt = all(context, 'invoices').find((invoice) => invoice.payment === id)?.periodStart ?? 0
  return objectOf(payment, context, { id, created: Math.max(payment.created, dueAt), amount, type: 'payment' })
}

export const refundObject = ({ id, created, amount, payment }: RefundRecord, context: AccountContext) => ({
  ...objectOf(find(context, 'payments', payment), context, {
    ...{ id, created, amount: -amount, bound: payment, type: 'refund' },
  }),
  refund_reason: 'Refunded in the dashboard.',
})

const DISPUTES = { open: 'disputed', won: 'won_dispute', lost: 'lost_dispute' } as const

/** That a dispute's amount is negative, whatever came of it, is UNVERIFIED. */
export const disputeObject = ({ id, created, amount, payment, status }: DisputeRecord, context: AccountContext) =>
  objectOf(find(context, 'payments', payment), context, {
    ...{ id, created, amount: -amount, bound: payment, type: DISPUTES[status] },
  })

/** All payments of a user, the newest first. A payment that failed is none at Freemius. */
export const paymentsOf = (userId: string, context: AccountContext) =>
  newestOf(context, 'payments', { customer: userId })
    .flatMap((payment) => [
      ...(payment.status === 'paid' ? [paymentObject(payment, context)] : []),
      ...refundsOf(context, payment).map((refund) => refundObject(refund, context)),
      ...disputesOf(context, payment).map((dispute) => disputeObject(dispute, context)),
    ])
    .toSorted((one, other) => Number(other.id) - Number(one.id))

/** The licence that a payment, or its subscription, is about. */
export function licenseOfPayment(payment: PaymentRecord, context: AccountContext): PageRecord {
  const { license } = paymentOwn(payment)
  if (license !== null) return find(context, 'pages', license)
  return licenseOf(find(context, 'subscriptions', payment.subscription ?? ''), context)
}

function objectOf(payment: PaymentRecord, context: AccountContext, { id, created, amount, type, bound }: About) {
  const license = licenseOfPayment(payment, context)
  return complete('payment', {
    ...{ id, created: dateTime(created), gross: decimal(amount), type, bound_payment_id: bound ?? null },
    ...{ plugin_id: payment.account, user_id: payment.customer ?? '', subscription_id: payment.subscription },
    ...{ license_id: license.id, ...idsOf(license.price), environment: licenseOwn(license).environment },
    ...{ currency: currencyOf(payment.currency), external_id: `ch_${id}` },
    is_renewal: payment.description === 'Subscription update',
  })
}
