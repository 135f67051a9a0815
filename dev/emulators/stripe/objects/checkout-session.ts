import type Stripe from 'stripe'
import type { CheckoutSessionRecord } from '../records.ts'
import { priceObject } from './price.ts'
import { listOf, type Wire } from './wire.ts'

export function checkoutAmount(session: CheckoutSessionRecord): number {
  return session.trialDays === null ? session.price.amount * session.quantity : 0
}

/** `url` is the emulator's own address, which an open session's page is at. */
export function checkoutSessionObject(session: CheckoutSessionRecord, url: string): Wire<Stripe.Checkout.Session> {
  const amount = checkoutAmount(session)
  return {
    id: session.id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: session.created,
    currency: session.price.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: session.customer,
    customer_account: null,
    customer_creation: session.mode === 'subscription' || session.alwaysCreateCustomer ? 'always' : 'if_required',
    customer_details: customerDetails(session),
    customer_email: session.customerEmail,
    discounts: [],
    expires_at: session.expiresAt,
    integration_identifier: null,
    invoice: session.invoice,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: session.metadata,
    mode: session.mode,
    origin_context: null,
    payment_intent: session.mode === 'payment' ? session.payment : null,
    payment_link: null,
    payment_method_collection: session.mode === 'subscription' ? 'always' : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: paymentStatus(session, amount),
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: session.status,
    submit_type: null,
    subscription: session.subscription,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: session.status === 'open' ? `${url}/c/pay/${session.id}` : null,
    wallet_options: null,
  }
}

/** Stripe adds these to a session only if `expand` asks for them. */
export function checkoutLineItems(session: CheckoutSessionRecord): Wire<Stripe.ApiList<Stripe.LineItem>> {
  const amount = checkoutAmount(session)
  return listOf(`/v1/checkout/sessions/${session.id}/line_items`, [
    {
      id: `li_${session.id.slice(-24)}`,
      object: 'item' as const,
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: session.price.currency,
      description: session.price.label,
      metadata: {},
      price: priceObject(session.price),
      quantity: session.quantity,
    },
  ])
}

function paymentStatus(session: CheckoutSessionRecord, amount: number) {
  if (session.status !== 'complete' || session.unpaid) return 'unpaid'
  return amount === 0 ? 'no_payment_required' : 'paid'
}

function customerDetails(session: CheckoutSessionRecord): Wire<Stripe.Checkout.Session.CustomerDetails> | null {
  const email = session.payerEmail ?? session.email
  if (email === null) return null
  const unasked = { address: null, business_name: null, individual_name: null, name: null, phone: null }
  return { ...unasked, email, tax_exempt: 'none', tax_ids: session.status === 'complete' ? [] : null }
}
