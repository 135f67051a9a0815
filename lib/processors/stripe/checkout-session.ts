import type Stripe from 'stripe'
import type { CheckoutOrder } from '../processor.ts'

type Parameters = Stripe.Checkout.SessionCreateParams

/** The parameters of a checkout session for an order; `customer` null: Stripe makes a new customer. */
export function checkoutSessionFor(order: CheckoutOrder, customer: string | null): Parameters {
  const metadata = { checkout_id: order.checkoutId, paywall_id: order.paywallId, user_id: order.userId }
  return {
    line_items: [{ price: order.processorPrice, quantity: order.quantity }],
    success_url: order.successUrl,
    cancel_url: order.errorUrl,
    client_reference_id: order.userId,
    metadata,
    ...(customer ? { customer } : order.email && { customer_email: order.email }),
    ...pageOptions(order, customer),
    ...(order.recurring ? subscriptionFor(order, metadata) : paymentFor(order, metadata)),
  }
}

/** Without `locale` the page is in the language of the buyer's browser. */
function pageOptions({ options, discount }: CheckoutOrder, customer: string | null): Parameters {
  const { automatic_tax: taxes, tax_ids: taxIds, promotion_codes: codes, terms, locale } = options
  // A known customer keeps the address that its taxes are calculated for, and the name that goes with its tax id: Stripe demands both.
  const update = { ...(taxes && { address: 'auto' as const }), ...(taxIds && { name: 'auto' as const }) }
  return {
    // Otherwise the account's setting may show and charge the price in the buyer's own currency, at Stripe's rate and with its fee.
    adaptive_pricing: { enabled: options.adaptive_pricing ?? false },
    ...(taxes && { automatic_tax: { enabled: true } }),
    ...(taxIds && { tax_id_collection: { enabled: true } }),
    ...(customer && (taxes || taxIds) && { customer_update: update }),
    // Stripe takes off one discount only, and refuses a session with both.
    ...(discount !== undefined ? { discounts: [{ coupon: discount }] } : codes && { allow_promotion_codes: true }),
    ...(terms && { consent_collection: { terms_of_service: 'required' } }),
    ...(locale !== undefined && { locale }),
  }
}

/** A trial that ends without a payment method is cancelled: if it continued, access would be unpaid. */
function subscriptionFor({ trialDays, options }: CheckoutOrder, metadata: Record<string, string>): Parameters {
  const trial = trialDays > 0 && { trial_period_days: trialDays }
  if (!trial || !options.trial_without_card) return { mode: 'subscription', subscription_data: { metadata, ...trial } }
  return {
    mode: 'subscription',
    payment_method_collection: 'if_required',
    subscription_data: {
      metadata,
      ...trial,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    },
  }
}

const paymentFor = ({ options }: CheckoutOrder, metadata: Record<string, string>): Parameters => ({
  mode: 'payment',
  payment_intent_data: { metadata },
  ...(options.invoices && { invoice_creation: { enabled: true } }),
})
