import { type AccountContext, newestFirst, newRecord } from './context.ts'
import type { AttemptRecord, PaymentRecord } from './money-records.ts'

/*
 * The life cycle of a payment: it is opened; each attempt succeeds, fails, or is pending until it is decided. A failed
 * payment can be attempted again where the processor allows it.
 */

type NewPayment = Pick<PaymentRecord, 'amount' | 'currency' | 'customer' | 'description'> & Partial<PaymentRecord>

/** The outcome of an attempt. */
export type PaymentResult = 'paid' | 'failed' | 'pending'

export function openPayment(context: AccountContext, given: NewPayment): PaymentRecord {
  const payment: PaymentRecord = {
    ...newRecord(context, 'payments'),
    email: null,
    sold: null,
    status: 'open',
    method: null,
    mandate: null,
    givesMandate: false,
    subscription: null,
    expiresAt: null,
    endedAt: null,
    own: {},
    ...given,
  }
  context.records.payments.set(payment.id, payment)
  return payment
}

/** Makes one attempt. `at`: when it ends, by default now. */
export function attemptPayment(
  context: AccountContext,
  payment: PaymentRecord,
  outcome: PaymentResult,
  at = context.now,
): PaymentRecord {
  const attempt: AttemptRecord = { ...newRecord(context, 'attempts'), payment: payment.id, status: 'pending' }
  context.records.attempts.set(attempt.id, attempt)
  payment.status = 'pending'
  if (outcome !== 'pending') return decidePayment(context, payment, outcome === 'paid', at)
  context.emit({ what: 'payment.pending', payment })
  return payment
}

/** Completes or fails a pending payment. */
export function decidePayment(
  context: AccountContext,
  payment: PaymentRecord,
  succeeds: boolean,
  at = context.now,
): PaymentRecord {
  const status = succeeds ? 'paid' : 'failed'
  const attempt = latestAttempt(context, payment.id)
  if (attempt) attempt.status = status
  return endPayment(context, payment, status, at)
}

export function endPayment(
  context: AccountContext,
  payment: PaymentRecord,
  status: 'paid' | 'failed' | 'canceled' | 'expired',
  at = context.now,
): PaymentRecord {
  payment.status = status
  payment.endedAt = at
  context.emit({ what: `payment.${status}`, payment })
  return payment
}

/** The latest attempt of a payment; undefined if there was none. */
export const latestAttempt = (context: AccountContext, payment: string) =>
  newestFirst(context, 'attempts', { payment }).at(0)
