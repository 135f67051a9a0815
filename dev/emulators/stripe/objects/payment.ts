import type Stripe from 'stripe'
import { type AccountContext, all } from '../../core/domain/context.ts'
import type { AttemptRecord, PaymentRecord } from '../../core/domain/money-records.ts'
import { refundedOf } from '../../core/domain/reversals.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { paymentOwn } from '../own.ts'
import type { Wire } from './wire.ts'

const DECLINED = 'Your card was declined.'

const STATUS: Partial<Record<PaymentRecord['status'], 'succeeded' | 'processing'>> = {
  paid: 'succeeded',
  pending: 'processing',
}

const INTENT_NULLS = nulls(
  'allowed_payment_method_types application application_fee_amount automatic_payment_methods canceled_at',
  'cancellation_reason client_secret customer_account excluded_payment_method_types managed_payments next_action',
  'on_behalf_of payment_method payment_method_configuration_details payment_method_options payment_record',
  'processing receipt_email review setup_future_usage shipping source statement_descriptor',
  'statement_descriptor_suffix transfer_data transfer_group',
)

export function paymentIntentObject(payment: PaymentRecord): Wire<Stripe.PaymentIntent> {
  const charge = payment.attempts.at(-1)
  return {
    ...INTENT_NULLS,
    id: payment.id,
    object: 'payment_intent',
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: payment.status === 'paid' ? payment.amount : 0,
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    created: payment.created,
    currency: payment.currency,
    customer: payment.customer,
    description: payment.description,
    last_payment_error: charge?.status === 'failed' ? declined(charge) : null,
    latest_charge: charge?.id ?? null,
    livemode: false,
    metadata: paymentOwn(payment).metadata,
    payment_method_types: ['card'],
    status: STATUS[payment.status] ?? 'requires_payment_method',
  }
}

const CHARGE_NULLS = nulls(
  'application application_fee application_fee_amount balance_transaction calculated_statement_descriptor',
  'failure_balance_transaction on_behalf_of outcome payment_method payment_method_details receipt_email',
  'receipt_number receipt_url review shipping source source_transfer statement_descriptor',
  'statement_descriptor_suffix transfer_data transfer_group',
)

/** A charge is an attempt of a payment: the latest, or the one with that id. */
export function chargeObject(payment: PaymentRecord, context: AccountContext, id?: string): Wire<Stripe.Charge> {
  const charge = payment.attempts.find((attempt) => attempt.id === id) ?? payment.attempts.at(-1)
  if (!charge) throw new Error(`${payment.id} was not charged`)
  const paid = charge.status === 'paid'
  const failed = charge.status === 'failed'
  const refunded = paid ? refundedOf(context, payment) : 0
  return {
    ...CHARGE_NULLS,
    id: charge.id,
    object: 'charge',
    amount: payment.amount,
    amount_captured: paid ? payment.amount : 0,
    amount_refunded: refunded,
    billing_details: { email: payment.email, ...nulls('address name phone tax_id') },
    captured: paid,
    created: charge.created,
    currency: payment.currency,
    customer: payment.customer,
    description: payment.description,
    disputed: paid && all(context, 'disputes').some((dispute) => dispute.payment === payment.id),
    failure_code: failed ? 'card_declined' : null,
    failure_message: failed ? DECLINED : null,
    fraud_details: {},
    livemode: false,
    metadata: paymentOwn(payment).metadata,
    paid,
    payment_intent: payment.id,
    refunded: refunded === payment.amount,
    status: charge.status === 'pending' ? 'pending' : paid ? 'succeeded' : 'failed',
  }
}

function declined({ id }: AttemptRecord): Wire<Stripe.PaymentIntent.LastPaymentError> {
  return { charge: id, code: 'card_declined', decline_code: 'generic_decline', message: DECLINED, type: 'card_error' }
}
