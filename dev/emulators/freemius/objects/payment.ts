import { type AccountContext, all, find, newestOf } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf, refundsOf } from '../../core/domain/reversals.ts'
import { licenseOwn } from '../own.ts'
import { licenseOf } from './license.ts'
import { complete, currencyOf, dateTime, decimal, idsOf } from './wire.ts'

export function paymentObject(payment: PaymentRecord, context: AccountContext) {
  const { id, amount, created, account, customer, currency, subscription, description } = payment
  const license = licenseOf(payment, context)
  // A renewal that is made before its time has the date on which it is due.
  const dueAt = all(context, 'invoices').find((invoice) => invoice.payment === id)?.periodStart ?? 0
  return complete('payment', {
    ...{ id, type: 'payment', created: dateTime(Math.max(created, dueAt)), gross: decimal(amount) },
    ...{ plugin_id: account, user_id: customer ?? '', subscription_id: subscription, license_id: license.id },
    ...{ ...idsOf(license.price), environment: licenseOwn(license).environment, currency: currencyOf(currency) },
    ...{ external_id: `ch_${id}`, is_renewal: description === 'Subscription update' },
  })
}

export const refundObject = (refund: RefundRecord, context: AccountContext) => ({
  ...reversalObject(refund, 'refund', context),
  refund_reason: 'Refunded in the dashboard.',
})

const DISPUTES = { open: 'disputed', won: 'won_dispute', lost: 'lost_dispute' } as const

/** That a dispute's amount is negative, whatever came of it, is UNVERIFIED. */
export const disputeObject = (dispute: DisputeRecord, context: AccountContext) =>
  reversalObject(dispute, DISPUTES[dispute.status], context)

/** All payments of a user, the newest first. A payment that failed is none at Freemius. */
export const paymentsOf = (userId: string, context: AccountContext) =>
  newestOf(context, 'payments', { customer: userId })
    .flatMap((payment) => [
      ...(payment.status === 'paid' ? [paymentObject(payment, context)] : []),
      ...refundsOf(context, payment).map((refund) => refundObject(refund, context)),
      ...disputesOf(context, payment).map((dispute) => disputeObject(dispute, context)),
    ])
    .toSorted((one, other) => Number(other.id) - Number(one.id))

/** What goes back of a payment is a payment of its own, which is bound to that. */
function reversalObject<Type extends string>(
  { id, created, amount, payment }: RefundRecord | DisputeRecord,
  type: Type,
  context: AccountContext,
) {
  return {
    ...paymentObject(find(context, 'payments', payment), context),
    ...{ id, type, created: dateTime(created), gross: decimal(-amount), external_id: `ch_${id}` },
    bound_payment_id: payment,
  }
}
