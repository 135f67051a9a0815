import type Stripe from 'stripe'
import type { ChargeRecord, PaymentRecord } from '../records.ts'
import type { Wire } from './wire.ts'

export const isPaid = (payment: PaymentRecord) => payment.charges.at(-1)?.succeeded === true

const hasFailed = ({ pending, succeeded }: ChargeRecord) => !pending && !succeeded

const DECLINED = 'Your card was declined.'

export function paymentIntentObject(payment: PaymentRecord): Wire<Stripe.PaymentIntent> {
  const charge = payment.charges.at(-1)
  const paid = isPaid(payment)
  return {
    id: payment.id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: paid ? payment.amount : 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: null,
    confirmation_method: 'automatic',
    created: payment.created,
    currency: payment.currency,
    customer: payment.customer,
    customer_account: null,
    description: payment.description,
    excluded_payment_method_types: null,
    last_payment_error: charge && hasFailed(charge) ? declined(charge) : null,
    latest_charge: charge?.id ?? null,
    livemode: false,
    managed_payments: null,
    metadata: payment.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? 'succeeded' : charge?.pending ? 'processing' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  }
}

export function chargeObject(payment: PaymentRecord, charge: ChargeRecord): Wire<Stripe.Charge> {
  return {
    id: charge.id,
    object: 'charge',
    amount: payment.amount,
    amount_captured: charge.succeeded ? payment.amount : 0,
    amount_refunded: charge.amountRefunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: payment.email, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: charge.succeeded,
    created: charge.created,
    currency: payment.currency,
    customer: payment.customer,
    description: payment.description,
    disputed: charge.disputed,
    failure_balance_transaction: null,
    failure_code: hasFailed(charge) ? 'card_declined' : null,
    failure_message: hasFailed(charge) ? DECLINED : null,
    fraud_details: {},
    livemode: false,
    metadata: payment.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: charge.succeeded,
    payment_intent: payment.id,
    payment_method: null,
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: charge.amountRefunded === payment.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.pending ? 'pending' : charge.succeeded ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  }
}

function declined(charge: ChargeRecord): Wire<Stripe.PaymentIntent.LastPaymentError> {
  return {
    charge: charge.id,
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: DECLINED,
    type: 'card_error',
  }
}
