import type Stripe from 'stripe'
import type { AccountContext } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { pageOwn } from '../own.ts'
import { priceObject } from './price.ts'
import { listOf, type Wire } from './wire.ts'

const SESSION_NULLS = nulls(
  'after_expiration allow_promotion_codes allowed_payment_method_types billing_address_collection client_secret',
  'collected_information consent consent_collection currency_conversion customer_account integration_identifier',
  'invoice_creation locale managed_payments origin_context payment_link payment_method_configuration_details',
  'permissions recovered_from saved_payment_method_options setup_intent shipping_address_collection shipping_cost',
  'submit_type wallet_options',
)

export function checkoutSessionObject(page: PageRecord, { url }: AccountContext): Wire<Stripe.Checkout.Session> {
  const amount = amountToday(page)
  const { metadata, clientReferenceId, customerEmail } = pageOwn(page)
  const recurs = page.mode === 'subscription'
  return {
    ...SESSION_NULLS,
    id: page.id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: page.cancelUrl,
    client_reference_id: clientReferenceId,
    created: page.created,
    currency: page.price.currency,
    custom_fields: [],
    custom_text: nulls('after_submit shipping_address submit terms_of_service_acceptance'),
    customer: page.customer,
    customer_creation: recurs || page.makesCustomer ? 'always' : 'if_required',
    customer_details: customerDetails(page),
    customer_email: customerEmail,
    discounts: [],
    expires_at: page.expiresAt,
    invoice: page.invoice,
    livemode: false,
    metadata,
    mode: page.mode,
    payment_intent: recurs ? null : page.payment,
    payment_method_collection: recurs ? 'always' : 'if_required',
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: paymentStatus(page),
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: page.status,
    subscription: page.subscription,
    success_url: page.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: page.status === 'open' ? `${url}/c/pay/${page.id}` : null,
  }
}

/** Stripe adds these to a session only if `expand` asks for them. */
export function checkoutLineItems(page: PageRecord): Wire<Stripe.ApiList<Stripe.LineItem>> {
  const amount = amountToday(page)
  const item: Wire<Stripe.LineItem> = {
    id: `li_${page.id.slice(-24)}`,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: page.price.currency,
    description: page.price.label,
    metadata: {},
    price: priceObject(page.price),
    quantity: page.quantity,
  }
  return listOf(`/v1/checkout/sessions/${page.id}/line_items`, [item])
}

function paymentStatus(page: PageRecord) {
  if (page.status !== 'complete' || page.unpaid) return 'unpaid'
  return amountToday(page) === 0 ? 'no_payment_required' : 'paid'
}

function customerDetails(page: PageRecord): Wire<Stripe.Checkout.Session.CustomerDetails> | null {
  const email = page.payerEmail ?? page.email
  if (email === null) return null
  const unasked = nulls('address business_name individual_name name phone')
  return { ...unasked, email, tax_exempt: 'none', tax_ids: page.status === 'complete' ? [] : null }
}
