import { type AccountContext, find, newestFirst, newRecord } from './context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from './money-records.ts'

/*
 * Refunds and disputes. A refund completes at once, or passes through `queued`, `pending` and `processing`, and may fail at
 * the end. A dispute is opened by the payer's bank; if the seller wins it, the seller gets the money back.
 */

const NEXT = { queued: 'pending', pending: 'processing', processing: 'refunded' } as const

type Refunding = Pick<RefundRecord, 'amount' | 'own'> & Partial<Pick<RefundRecord, 'status'>>

/** While the switch `slowRefunds` is on, a refund is `pending` at first, unless the processor gives it another status. */
export function refundPayment(context: AccountContext, payment: PaymentRecord, given: Refunding): RefundRecord {
  const status = context.isOn('slowRefunds') ? 'pending' : 'refunded'
  const refund: RefundRecord = { ...newRecord(context, 'refunds'), payment: payment.id, status, ...given }
  context.records.refunds.set(refund.id, refund)
  context.emit({ what: 'refund.created', refund, payment })
  context.emit({ what: `refund.${refund.status}`, refund, payment })
  return refund
}

export const isInProgress = ({ status }: RefundRecord) => status in NEXT

/** Moves a refund in progress to its next step, or fails it, which returns the money to the seller. */
export function stepRefund(context: AccountContext, refund: RefundRecord, succeeds = true): RefundRecord {
  const { status } = refund
  if (status !== 'queued' && status !== 'pending' && status !== 'processing') {
    throw context.refuse(`Refund ${refund.id} is ${status}.`)
  }
  return endRefund(context, refund, succeeds ? NEXT[status] : 'failed')
}

/** Gives a refund another status. A completed refund may still fail days later. */
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

export const listRefunds = (context: AccountContext, { id }: PaymentRecord): RefundRecord[] =>
  newestFirst(context, 'refunds', { payment: id })

/** The refunded amount of a payment, including refunds in progress. */
export const refundedAmount = (context: AccountContext, payment: PaymentRecord): number =>
  listRefunds(context, payment)
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, { amount }) => sum + amount, 0)

/** The amount of a payment that can still be refunded. */
export const refundableAmount = (context: AccountContext, payment: PaymentRecord): number =>
  payment.status === 'paid' ? payment.amount - refundedAmount(context, payment) : 0

type RefundUpTo = Partial<Omit<Refunding, 'amount'>> & { amount?: number | undefined }

/**
 * Refunds an amount of a payment, by default all that is left.
 *
 * @param refuse creates the processor's error if less than the amount, or nothing, is left
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

/** Whether a dispute of the payment is open or lost. */
export const isReversed = (context: AccountContext, payment: PaymentRecord) =>
  listDisputes(context, payment).some(({ status }) => status === 'open' || status === 'lost')

type Disputing = Partial<Pick<DisputeRecord, 'amount' | 'status' | 'own'>>

/** Opens a dispute of a payment, by default of the whole amount, or a `warning`. */
export function openDispute(context: AccountContext, payment: PaymentRecord, given: Disputing = {}): DisputeRecord {
  const { id, amount } = payment
  const usual = { payment: id, amount, status: 'open' as const, closedAt: null, own: {} }
  const dispute: DisputeRecord = { ...newRecord(context, 'disputes'), ...usual, ...given }
  context.records.disputes.set(dispute.id, dispute)
  context.emit({ what: 'dispute.opened', dispute, payment })
  return dispute
}

/** Turns a warning into a dispute, which withdraws the money. */
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

export const listDisputes = (context: AccountContext, { id }: PaymentRecord): DisputeRecord[] =>
  newestFirst(context, 'disputes', { payment: id })
