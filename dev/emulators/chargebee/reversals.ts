import { type AccountContext, find, newestFirst } from '../core/domain/context.ts'
import { collectInvoice } from '../core/domain/invoices.ts'
import type { AttemptRecord, DisputeRecord, PaymentRecord } from '../core/domain/money-records.ts'
import { attemptPayment, latestAttempt } from '../core/domain/payments.ts'
import { openDispute } from '../core/domain/reversals.ts'
import { findSale } from '../core/domain/sales.ts'
import { wrongState } from './errors.ts'
import { disputeOwn } from './own.ts'

/* What a bank takes back is a transaction. Its invoice is due again then, and may be paid by another one. */

/** What has taken a transaction back, unless the seller has won it. */
export const findReversal = (context: AccountContext, { id, payment }: AttemptRecord): DisputeRecord | undefined =>
  newestFirst(context, 'disputes', { payment }).find(
    (each) => disputeOwn(each).transaction === id && each.status !== 'won',
  )

/** Whether the latest transaction of a payment was taken back. */
export function isReversed(context: AccountContext, { id }: PaymentRecord): boolean {
  const latest = latestAttempt(context, id)
  return latest !== undefined && findReversal(context, latest) !== undefined
}

/** The bank takes the latest transaction of a payment back. */
export function reverse(context: AccountContext, payment: PaymentRecord): DisputeRecord {
  const latest = latestAttempt(context, payment.id)
  if (payment.status !== 'paid' || !latest || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  return openDispute(context, payment, { own: { transaction: latest.id } })
}

/** The site charges for an invoice whose payment was taken back, and that goes through. */
export function collectAgain(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  if (!isReversed(context, payment)) throw wrongState('No payment of the invoice was taken back.')
  const { id, subscription } = findSale(context, payment)
  if (subscription === null) return attemptPayment(context, payment, 'paid')
  collectInvoice(context, find(context, 'invoices', id), true)
  return payment
}
