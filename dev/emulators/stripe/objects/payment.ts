import { type AccountContext, all, find } from '../../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf, refundedOf } from '../../core/domain/reversals.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { paymentOwn, refundOwn } from '../own.ts'
import { complete } from './wire.ts'

const INTENTS: Partial<Record<PaymentRecord['status'], 'succeeded' | 'processing'>> = {
  paid: 'succeeded',
  pending: 'processing',
}
const REFUNDS: Partial<Record<RefundRecord['status'], string>> = { refunded: 'succeeded', failed: 'failed' }
const DISPUTES = { open: 'needs_response', won: 'won', lost: 'lost' } as const
const CHARGES = { paid: 'succeeded', pending: 'pending', failed: 'failed' } as const

const SECONDS_TO_ANSWER = 7 * 24 * 3600

/** What an intent and its charges have in common. */
const common = (payment: PaymentRecord) => ({
  ...snakeFields(payment, 'amount', 'currency', 'customer', 'description'),
  metadata: paymentOwn(payment).metadata,
})

export function paymentIntentObject(payment: PaymentRecord) {
  const charge = payment.attempts.at(-1)
  return complete('payment_intent', {
    ...common(payment),
    ...snakeFields(payment, 'id', 'created'),
    amount_received: payment.status === 'paid' ? payment.amount : 0,
    last_payment_error: charge?.status === 'failed' ? { charge: charge.id } : null,
    latest_charge: charge?.id ?? null,
    status: INTENTS[payment.status] ?? 'requires_payment_method',
  })
}

/** A charge is an attempt of a payment: the latest, or the one with that id. */
export function chargeObject(payment: PaymentRecord, context: AccountContext, id?: string) {
  const charge = payment.attempts.find((attempt) => attempt.id === id) ?? payment.attempts.at(-1)
  if (!charge) throw new Error(`${payment.id} was not charged`)
  const paid = charge.status === 'paid'
  const refunded = paid ? refundedOf(context, payment) : 0
  return complete('charge', {
    ...common(payment),
    ...snakeFields(charge, 'id', 'created'),
    amount_captured: paid ? payment.amount : 0,
    amount_refunded: refunded,
    billing_details: { email: payment.email },
    captured: paid,
    disputed: paid && disputesOf(context, payment).length > 0,
    failure_code: charge.status === 'failed' ? 'card_declined' : null,
    failure_message: charge.status === 'failed' ? 'Your card was declined.' : null,
    paid,
    payment_intent: payment.id,
    refunded: refunded === payment.amount,
    status: CHARGES[charge.status],
  })
}

/** The charge with an id; null if the account has none. */
export function chargeById(context: AccountContext, id: string) {
  const payment = all(context, 'payments').find(({ attempts }) => attempts.some((attempt) => attempt.id === id))
  return payment ? chargeObject(payment, context, id) : null
}

export const refundObject = (refund: RefundRecord, context: AccountContext) =>
  complete('refund', {
    ...ofCharge(refund, context),
    ...refundOwn(refund),
    customer: find(context, 'payments', refund.payment).customer,
    ...(refund.status === 'failed' && { failure_reason: 'lost_or_stolen_card' }),
    status: REFUNDS[refund.status] ?? 'pending',
  })

/** A dispute over the whole amount, for which the seller has handed in no evidence. */
export const disputeObject = (dispute: DisputeRecord, context: AccountContext) =>
  complete('dispute', {
    ...ofCharge(dispute, context),
    evidence_details: { due_by: dispute.created + SECONDS_TO_ANSWER },
    status: DISPUTES[dispute.status],
  })

/** What goes back is of the payment's latest charge. */
function ofCharge(reversal: RefundRecord | DisputeRecord, context: AccountContext) {
  const { id, attempts, currency } = find(context, 'payments', reversal.payment)
  const charge = attempts.at(-1)?.id ?? ''
  return { ...snakeFields(reversal, 'id', 'amount', 'created'), charge, currency, payment_intent: id }
}
