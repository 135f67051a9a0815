import { type AccountContext, all, find, newestFirst } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { listDisputes, listRefunds } from '../../core/domain/reversals.ts'
import { licenseOwn } from '../own.ts'
import { findLicense } from './license.ts'
import { complete, couponId, dateTime, decimal, parsePrice, toCurrency } from './wire.ts'

export function paymentObject(payment: PaymentRecord, context: AccountContext) {
  const { id, amount, created, account, customer, currency, subscription } = payment
  const license = findLicense(payment, context)
  // A renewal made ahead of time has its due date.
  const invoice = all(context, 'invoices').find((each) => each.payment === id)
  const { periodStart: dueAt = 0, reason } = invoice ?? {}
  const off = (invoice ?? payment.sold)?.discount ?? 0
  const vat = (invoice ?? payment.sold)?.tax ?? 0
  const [refund] = listRefunds(context, payment)
  return complete('payment', {
    bound_payment_id: refund?.id ?? null,
    id,
    type: 'payment',
    created: dateTime(Math.max(created, dueAt)),
    gross: decimal(amount - vat),
    vat: decimal(vat),
    plugin_id: account,
    user_id: customer ?? '',
    subscription_id: subscription,
    license_id: license.id,
    // That it keeps the old plan when the licence gets another one is UNVERIFIED.
    ...parsePrice(invoice?.price ?? payment.sold?.price ?? license.price),
    environment: licenseOwn(license).environment,
    currency: toCurrency(currency),
    external_id: `ch_${id}`,
    // Whether a payment that a coupon did not reduce names it is UNVERIFIED, and whether one that is reduced by a cancellation coupon does.
    coupon_id: off > 0 && license.coupon !== null ? couponId(license.coupon) : null,
    is_renewal: reason === 'cycle',
  })
}

export const refundObject = (refund: RefundRecord, context: AccountContext) => ({
  ...reversalObject(refund, 'refund', context),
  refund_reason: 'Refunded in the dashboard.',
})

/** Freemius has no warnings. */
const DISPUTES = {
  open: 'disputed',
  won: 'won_dispute',
  lost: 'lost_dispute',
  warning: 'disputed',
  closed: 'won_dispute',
} as const

/** That a dispute's amount is negative whatever its outcome is UNVERIFIED. */
export const disputeObject = (dispute: DisputeRecord, context: AccountContext) =>
  reversalObject(dispute, DISPUTES[dispute.status], context)

/** All payments of a user, newest first. Freemius has no failed payments. */
export const listPayments = (userId: string, context: AccountContext) =>
  newestFirst(context, 'payments', { customer: userId })
    .flatMap((payment) => [
      ...(payment.status === 'paid' ? [paymentObject(payment, context)] : []),
      ...listRefunds(context, payment).map((refund) => refundObject(refund, context)),
      ...listDisputes(context, payment).map((dispute) => disputeObject(dispute, context)),
    ])
    .toSorted((one, other) => Number(other.id) - Number(one.id))

/** Refunds and disputes are payments of their own. A dispute is bound to the payment; for a refund, the payment is bound to it. */
function reversalObject<Type extends string>(
  { id, created, amount, payment }: RefundRecord | DisputeRecord,
  type: Type,
  context: AccountContext,
) {
  const paid = find(context, 'payments', payment)
  const original = paymentObject(paid, context)
  const vat = Math.round((amount * Math.round((original.vat ?? 0) * 100)) / paid.amount)
  return {
    ...original,
    id,
    type,
    created: dateTime(created),
    gross: decimal(vat - amount),
    vat: decimal(0 - vat),
    external_id: `ch_${id}`,
    bound_payment_id: type === 'refund' ? null : payment,
  }
}
