import type Stripe from 'stripe'
import type { AccountContext } from '../../core/domain/context.ts'
import { find } from '../../core/domain/context.ts'
import type { DisputeRecord } from '../../core/domain/money-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import type { Wire } from './wire.ts'

const SECONDS_TO_ANSWER = 7 * 24 * 3600

const STATUS = { open: 'needs_response', won: 'won', lost: 'lost' } as const

/** A dispute over the whole amount, for which the seller has handed in no evidence. */
export function disputeObject(dispute: DisputeRecord, context: AccountContext): Wire<Stripe.Dispute> {
  const payment = find(context, 'payments', dispute.payment)
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [],
    charge: payment.attempts.at(-1)?.id ?? '',
    created: dispute.created,
    currency: payment.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: dispute.created + SECONDS_TO_ANSWER,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: payment.id,
    reason: 'fraudulent',
    status: STATUS[dispute.status],
  }
}

const NO_EVIDENCE: Wire<Stripe.Dispute.Evidence> = {
  ...nulls(
    'access_activity_log billing_address cancellation_policy cancellation_policy_disclosure cancellation_rebuttal',
    'customer_communication customer_email_address customer_name customer_purchase_ip customer_signature',
    'duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id product_description receipt',
    'refund_policy refund_policy_disclosure refund_refusal_explanation service_date service_documentation',
    'shipping_address shipping_carrier shipping_date shipping_documentation shipping_tracking_number',
    'uncategorized_file uncategorized_text',
  ),
  enhanced_evidence: {},
}
