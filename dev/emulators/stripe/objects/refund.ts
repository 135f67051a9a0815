import type Stripe from 'stripe'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { RefundRecord } from '../../core/domain/money-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { refundOwn } from '../own.ts'
import type { Wire } from './wire.ts'

const STATUS: Partial<Record<RefundRecord['status'], string>> = { refunded: 'succeeded', failed: 'failed' }

export function refundObject(refund: RefundRecord, context: AccountContext): Wire<Stripe.Refund> {
  const payment = find(context, 'payments', refund.payment)
  const { metadata, reason } = refundOwn(refund)
  return {
    ...nulls('balance_transaction customer_account payment_method receipt_number'),
    ...nulls('source_transfer_reversal transfer_reversal'),
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    charge: payment.attempts.at(-1)?.id ?? null,
    created: refund.created,
    currency: payment.currency,
    customer: payment.customer,
    ...(refund.status === 'failed' && { failure_reason: 'lost_or_stolen_card' }),
    metadata,
    payment_intent: payment.id,
    reason,
    status: STATUS[refund.status] ?? 'pending',
  }
}
