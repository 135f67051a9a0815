import type Stripe from 'stripe'
import type { PaymentRecord, RefundRecord } from '../records.ts'
import type { Wire } from './wire.ts'

export function refundObject(refund: RefundRecord, payment: PaymentRecord): Wire<Stripe.Refund> {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: null,
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: payment.customer,
    customer_account: null,
    metadata: refund.metadata,
    payment_intent: refund.payment,
    payment_method: null,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
}
