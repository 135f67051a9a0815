import type Stripe from 'stripe'
import type { PaymentRecord } from '../records.ts'
import type { Wire } from './wire.ts'

const DAYS_TO_ANSWER = 7

/** A dispute as it is when the bank opens it: over the whole amount, waiting for the seller's evidence. */
export function disputeObject(id: string, now: number, payment: PaymentRecord, charge: string): Wire<Stripe.Dispute> {
  return {
    id,
    object: 'dispute',
    amount: payment.amount,
    balance_transactions: [],
    charge,
    created: now,
    currency: payment.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: now + DAYS_TO_ANSWER * 24 * 3600,
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
    status: 'needs_response',
  }
}

const NO_EVIDENCE: Wire<Stripe.Dispute.Evidence> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}
