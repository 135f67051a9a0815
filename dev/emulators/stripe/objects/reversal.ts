import { type AccountContext, find } from '../../core/domain/context.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { refundOwn } from '../own.ts'
import { complete } from './wire.ts'

const SECONDS_TO_ANSWER = 7 * 24 * 3600

const REFUNDS: Partial<Record<RefundRecord['status'], string>> = { refunded: 'succeeded', failed: 'failed' }
const DISPUTES = { open: 'needs_response', won: 'won', lost: 'lost' } as const

export const refundObject = (refund: RefundRecord, context: AccountContext) =>
  complete('refund', {
    ...ofPayment(refund, context),
    ...refundOwn(refund),
    customer: find(context, 'payments', refund.payment).customer,
    ...(refund.status === 'failed' && { failure_reason: 'lost_or_stolen_card' }),
    status: REFUNDS[refund.status] ?? 'pending',
  })

/** A dispute over the whole amount, for which the seller has handed in no evidence. */
export const disputeObject = (dispute: DisputeRecord, context: AccountContext) =>
  complete('dispute', {
    ...ofPayment(dispute, context),
    evidence_details: { due_by: dispute.created + SECONDS_TO_ANSWER },
    status: DISPUTES[dispute.status],
  })

/** What goes back is of the payment's latest charge. */
function ofPayment(reversal: RefundRecord | DisputeRecord, context: AccountContext) {
  const { id, attempts, currency } = find(context, 'payments', reversal.payment)
  const charge = attempts.at(-1)?.id ?? ''
  return { ...snakeFields(reversal, 'id', 'amount', 'created'), charge, currency, payment_intent: id }
}
