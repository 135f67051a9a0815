import type Stripe from 'stripe'
import type { InvoiceRecord } from '../records.ts'
import { productId } from './price.ts'
import { listOf, type Wire } from './wire.ts'

/** How long a renewal's invoice stays a draft at Stripe. */
const DRAFT_SECONDS = 3600
const RETRY_SECONDS = 3 * 24 * 3600

export function invoiceObject(invoice: InvoiceRecord): Wire<Stripe.Invoice> {
  const paid = invoice.status === 'paid'
  const closed = paid || invoice.status === 'void'
  const finalizes = invoice.status === 'draft' ? invoice.created + DRAFT_SECONDS : null
  const finalizedAt = finalizes === null ? invoice.created : null
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'US',
    account_name: invoice.seller,
    account_tax_ids: null,
    amount_due: invoice.amount,
    amount_overpaid: 0,
    amount_paid: paid ? invoice.amount : 0,
    amount_remaining: paid ? 0 : invoice.amount,
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attempts,
    attempted: invoice.attempts > 0,
    auto_advance: !closed,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: finalizes,
    billing_reason: invoice.reason,
    collection_method: 'charge_automatically',
    created: invoice.created,
    currency: invoice.price.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_account: null,
    customer_address: null,
    customer_email: invoice.email,
    customer_name: null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: finalizedAt,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(`/v1/invoices/${invoice.id}/lines`, [lineObject(invoice)]),
    livemode: false,
    metadata: {},
    next_payment_attempt: closed ? null : (finalizes ?? invoice.created + invoice.attempts * RETRY_SECONDS),
    number: finalizes === null ? invoice.number : null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: invoice.subscriptionMetadata, subscription: invoice.subscription },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: invoice.created,
    period_start: invoice.created,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: finalizedAt,
      marked_uncollectible_at: null,
      paid_at: invoice.paidAt,
      voided_at: null,
    },
    subtotal: invoice.amount,
    subtotal_excluding_tax: invoice.amount,
    test_clock: null,
    total: invoice.amount,
    total_discount_amounts: [],
    total_excluding_tax: invoice.amount,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: invoice.created,
  }
}

/** The object that links an invoice to the payment intent that pays it. An invoice over nothing has none. */
export function invoicePayments(invoice: InvoiceRecord): Wire<Stripe.InvoicePayment>[] {
  if (invoice.payment === null) return []
  const paid = invoice.status === 'paid'
  return [
    {
      id: invoice.payment.linkId,
      object: 'invoice_payment',
      amount_paid: paid ? invoice.amount : null,
      amount_requested: invoice.amount,
      created: invoice.created,
      currency: invoice.price.currency,
      invoice: invoice.id,
      is_default: true,
      livemode: false,
      payment: { payment_intent: invoice.payment.id, type: 'payment_intent' },
      status: paid ? 'paid' : 'open',
      status_transitions: { canceled_at: null, paid_at: invoice.paidAt },
    },
  ]
}

function lineObject(invoice: InvoiceRecord): Wire<Stripe.InvoiceLineItem> {
  return {
    id: invoice.lineId,
    object: 'line_item',
    amount: invoice.amount,
    currency: invoice.price.currency,
    description: `${invoice.quantity} × ${invoice.price.label}`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: invoice.subscriptionMetadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: invoice.subscription,
        subscription_item: invoice.subscriptionItem,
      },
      type: 'subscription_item_details',
    },
    period: { end: invoice.periodEnd, start: invoice.periodStart },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: invoice.price.id, product: productId(invoice.price) },
      type: 'price_details',
      unit_amount_decimal: String(invoice.price.amount),
    },
    quantity: invoice.quantity,
    quantity_decimal: String(invoice.quantity),
    subscription: invoice.subscription,
    subtotal: invoice.amount,
    taxes: [],
  }
}
