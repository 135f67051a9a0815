import { type AccountContext, find, newestFirst } from '../core/domain/context.ts'
import { collectInvoice } from '../core/domain/invoices.ts'
import type { AttemptRecord, DisputeRecord, PaymentRecord } from '../core/domain/money-records.ts'
import { attemptPayment, latestAttempt } from '../core/domain/payments.ts'
import { openDispute } from '../core/domain/reversals.ts'
import { findSale } from '../core/domain/sales.ts'
import { wrongState } from './errors.ts'
import { disputeOwn } from './own.ts'

/* A bank reverses a transaction. Its invoice is then due again, and can be paid by another transaction. */

/** The reversal of a transaction, unless the seller has won it. */
export const findReversal = (context: AccountContext, { id, payment }: AttemptRecord): DisputeRecord | undefined =>
  newestFirst(context, 'disputes', { payment }).find(
    (each) => disputeOwn(each).transaction === id && each.status !== 'won',
  )

/** Whether the latest transaction of a payment was reversed. */
export function isReversed(context: AccountContext, { id }: PaymentRecord): boolean {
  const latest = latestAttempt(context, id)
  return latest !== undefined && findReversal(context, latest) !== undefined
}

/** The bank reverses the latest transaction of a payment. */
export function reverse(context: AccountContext, payment: PaymentRecord): DisputeRecord {
  const latest = latestAttempt(context, payment.id)
  if (payment.status !== 'paid' || !latest || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  return openDispute(context, payment, { own: { transaction: latest.id } })
}

/** The site successfully charges an invoice again whose payment was reversed. */
export function collectAgain(context: AccountContext, payment: PaymentRecord): PaymentRecord {
  if (!isReversed(context, payment)) throw wrongState('No payment of the invoice was reversed.')
  const { id, subscription } = findSale(context, payment)
  if (subscription === null) return attemptPayment(context, payment, 'paid')
  collectInvoice(context, find(context, 'invoices', id), true)
  return payment
}
