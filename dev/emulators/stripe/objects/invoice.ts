import type Stripe from 'stripe'
import { invoiceNumber } from '../../core/domain/invoices.ts'
import type { InvoiceRecord } from '../../core/domain/money-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { subscriptionOwn } from '../own.ts'
import { DRAFT_SECONDS, RETRY_SECONDS } from '../renewal-rules.ts'
import { productId } from './price.ts'
import { listOf, type Wire } from './wire.ts'

const INVOICE_NULLS = nulls(
  'account_tax_ids application custom_fields customer_account customer_address customer_name customer_phone',
  'customer_shipping default_payment_method default_source description due_date footer from_invoice',
  'hosted_invoice_url invoice_pdf last_finalization_error latest_revision on_behalf_of receipt_number rendering',
  'shipping_cost shipping_details statement_descriptor test_clock',
)

export function invoiceObject(invoice: InvoiceRecord): Wire<Stripe.Invoice> {
  const { amount, created, status } = invoice
  const paid = status === 'paid'
  const closed = paid || status === 'void'
  const finalizes = status === 'draft' ? created + DRAFT_SECONDS : null
  const finalizedAt = finalizes === null ? created : null
  return {
    ...INVOICE_NULLS,
    id: invoice.id,
    object: 'invoice',
    account_country: 'US',
    account_name: invoice.seller,
    amount_due: amount,
    amount_overpaid: 0,
    amount_paid: paid ? amount : 0,
    amount_remaining: paid ? 0 : amount,
    amount_shipping: 0,
    attempt_count: invoice.attempts,
    attempted: invoice.attempts > 0,
    auto_advance: !closed,
    automatic_tax: { enabled: false, ...nulls('disabled_reason liability provider status') },
    automatically_finalizes_at: finalizes,
    billing_reason: invoice.reason === 'create' ? 'subscription_create' : 'subscription_cycle',
    collection_method: 'charge_automatically',
    created,
    currency: invoice.price.currency,
    customer: invoice.customer,
    customer_email: invoice.email,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_tax_rates: [],
    discounts: [],
    effective_at: finalizedAt,
    ending_balance: 0,
    issuer: { type: 'self' },
    lines: listOf(`/v1/invoices/${invoice.id}/lines`, [lineObject(invoice)]),
    livemode: false,
    metadata: {},
    next_payment_attempt: closed ? null : (finalizes ?? created + invoice.attempts * RETRY_SECONDS),
    number: finalizes === null ? invoiceNumber(invoice) : null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: metadataOf(invoice), subscription: invoice.subscription },
      type: 'subscription_details',
    },
    payment_settings: nulls('default_mandate payment_method_options payment_method_types'),
    period_end: created,
    period_start: created,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status,
    status_transitions: {
      ...nulls('marked_uncollectible_at voided_at'),
      finalized_at: finalizedAt,
      paid_at: invoice.paidAt,
    },
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: amount,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: created,
  }
}

/** The object that links an invoice to the payment intent that pays it. An invoice over nothing has none. */
export function invoicePayments(invoice: InvoiceRecord): Wire<Stripe.InvoicePayment>[] {
  if (invoice.payment === null) return []
  const paid = invoice.status === 'paid'
  return [
    {
      id: `inpay_${invoice.id.slice(3)}`,
      object: 'invoice_payment',
      amount_paid: paid ? invoice.amount : null,
      amount_requested: invoice.amount,
      created: invoice.created,
      currency: invoice.price.currency,
      invoice: invoice.id,
      is_default: true,
      livemode: false,
      payment: { payment_intent: invoice.payment, type: 'payment_intent' },
      status: paid ? 'paid' : 'open',
      status_transitions: { canceled_at: null, paid_at: invoice.paidAt },
    },
  ]
}

const metadataOf = ({ own }: InvoiceRecord) => subscriptionOwn({ own }).metadata

function lineObject(invoice: InvoiceRecord): Wire<Stripe.InvoiceLineItem> {
  const { price, quantity, amount, subscription } = invoice
  const item = { ...nulls('invoice_item proration_details'), proration: false, subscription }
  return {
    id: `il_${invoice.id.slice(3)}`,
    object: 'line_item',
    amount,
    currency: price.currency,
    description: `${quantity} × ${price.label}`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: metadataOf(invoice),
    parent: {
      invoice_item_details: null,
      subscription_item_details: { ...item, subscription_item: `si_${subscription.slice(4)}` },
      type: 'subscription_item_details',
    },
    period: { end: invoice.periodEnd, start: invoice.periodStart },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: productId(price) },
      type: 'price_details',
      unit_amount_decimal: String(price.amount),
    },
    quantity,
    quantity_decimal: String(quantity),
    subscription,
    subtotal: amount,
    taxes: [],
  }
}
