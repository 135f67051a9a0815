import { type AccountContext, find, newestFirst, newRecord } from './context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from './money-records.ts'

/*
 * Money that goes back. A refund may be there at once, or pass through `queued`, `pending` and `processing`, and may
 * fail at the end. A dispute is opened by the payer's bank; if the seller wins it, the money is the seller's again.
 */

const NEXT = { queued: 'pending', pending: 'processing', processing: 'refunded' } as const

type Refunding = Pick<RefundRecord, 'amount' | 'own'> & Partial<Pick<RefundRecord, 'status'>>

/** While the switch `slowRefunds` is on, a refund is `pending` at first, if the processor has no other status for it. */
export function refundPayment(context: AccountContext, payment: PaymentRecord, given: Refunding): RefundRecord {
  const status = context.isOn('slowRefunds') ? 'pending' : 'refunded'
  const refund: RefundRecord = { ...newRecord(context, 'refunds'), payment: payment.id, status, ...given }
  context.records.refunds.set(refund.id, refund)
  context.emit({ what: 'refund.created', refund, payment })
  context.emit({ what: `refund.${refund.status}`, refund, payment })
  return refund
}

export const isUnderWay = ({ status }: RefundRecord) => status in NEXT

/** A refund that is under way takes its next step, or fails: then its money is the seller's again. */
export function stepRefund(context: AccountContext, refund: RefundRecord, succeeds = true): RefundRecord {
  const { status } = refund
  if (status !== 'queued' && status !== 'pending' && status !== 'processing') {
    throw context.refuse(`Refund ${refund.id} is ${status}.`)
  }
  return endRefund(context, refund, succeeds ? NEXT[status] : 'failed')
}

/** Gives a refund another status. One that had succeeded may still fail, days later. */
export function endRefund(
  context: AccountContext,
  refund: RefundRecord,
  status: 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled',
): RefundRecord {
  if (refund.status === 'failed' || refund.status === 'canceled') {
    throw context.refuse(`Refund ${refund.id} is ${refund.status}.`)
  }
  refund.status = status
  const payment = find(context, 'payments', refund.payment)
  context.emit({ what: 'refund.updated', refund, payment })
  context.emit({ what: `refund.${status}`, refund, payment })
  return refund
}

/** The newest first. */
export const listRefunds = (context: AccountContext, { id }: PaymentRecord): RefundRecord[] =>
  newestFirst(context, 'refunds', { payment: id })

/** What has been given back of a payment, or is on its way back. */
export const refundedAmount = (context: AccountContext, payment: PaymentRecord): number =>
  listRefunds(context, payment)
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, { amount }) => sum + amount, 0)

/** What can still be given back of a payment. */
export const refundableAmount = (context: AccountContext, payment: PaymentRecord): number =>
  payment.status === 'paid' ? payment.amount - refundedAmount(context, payment) : 0

type RefundUpTo = Partial<Omit<Refunding, 'amount'>> & { amount?: number | undefined }

/**
 * Refunds an amount of a payment, or all that is left of it.
 *
 * @param refuse makes the processor's error where nothing is left, or less than the amount
 */
export function refundUpTo(
  context: AccountContext,
  payment: PaymentRecord,
  { amount, ...given }: RefundUpTo,
  refuse: (left: number) => Error,
): RefundRecord {
  const left = refundableAmount(context, payment)
  if (left === 0 || (amount ?? left) > left) throw refuse(left)
  return refundPayment(context, payment, { own: {}, ...given, amount: amount ?? left })
}

/** Whether the payer's bank has taken the money back, and the seller has not won it again. */
export const isReversed = (context: AccountContext, payment: PaymentRecord) =>
  listDisputes(context, payment).some(({ status }) => status === 'open' || status === 'lost')

type Disputing = Partial<Pick<DisputeRecord, 'amount' | 'status' | 'own'>>

/** The payer's bank takes a payment back, the whole of it if no amount is given, or only asks. */
export function openDispute(context: AccountContext, payment: PaymentRecord, given: Disputing = {}): DisputeRecord {
  const { id, amount } = payment
  const usual = { payment: id, amount, status: 'open' as const, closedAt: null, own: {} }
  const dispute: DisputeRecord = { ...newRecord(context, 'disputes'), ...usual, ...given }
  context.records.disputes.set(dispute.id, dispute)
  context.emit({ what: 'dispute.opened', dispute, payment })
  return dispute
}

/** What the bank only asked becomes a dispute: now the money is taken back. */
export function escalateDispute(context: AccountContext, dispute: DisputeRecord): DisputeRecord {
  if (dispute.status !== 'warning') throw context.refuse(`Dispute ${dispute.id} is ${dispute.status}.`)
  dispute.status = 'open'
  const payment = find(context, 'payments', dispute.payment)
  context.emit({ what: 'dispute.escalated', dispute, payment })
  return dispute
}

export function closeDispute(context: AccountContext, dispute: DisputeRecord, wins: boolean): DisputeRecord {
  const { id, status } = dispute
  if (status !== 'open' && status !== 'warning') throw context.refuse(`Dispute ${id} is ${status}.`)
  dispute.status = status === 'warning' ? 'closed' : wins ? 'won' : 'lost'
  dispute.closedAt = context.now
  context.emit({ what: 'dispute.closed', dispute, payment: find(context, 'payments', dispute.payment) })
  return dispute
}

/** The newest first. */
export const listDisputes = (context: AccountContext, { id }: PaymentRecord): DisputeRecord[] =>
  newestFirst(context, 'disputes', { payment: id })
