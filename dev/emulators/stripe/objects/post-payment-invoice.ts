import { type AccountContext, all, find } from '../../core/domain/context.ts'
import { amountsToday } from '../../core/domain/pages.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { postPaymentInvoiceId } from './page-settings.ts'
import { productId } from './selling.ts'
import { complete, toList } from './wire.ts'

/*
 * The invoice of a one-time payment, which `invoice_creation` makes once the payment has succeeded, with the event `invoice.paid`
 * (docs.stripe.com/payments/checkout/receipts). It belongs to no subscription. That its payment is listed by `/v1/invoice_payments`,
 * its `billing_reason` and that it makes no customer are UNVERIFIED.
 */

type PostPaymentInvoice = NonNullable<ReturnType<typeof postPaymentInvoice>>

function postPaymentInvoice(page: PageRecord, created: number) {
  const id = postPaymentInvoiceId(page)
  if (id === null) return null
  const { subtotal, discount, tax, total } = amountsToday(page)
  return complete('invoice', {
    id,
    created,
    customer: page.customer,
    status: 'paid' as const,
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_excluding_tax: total - tax,
    total_discount_amounts: discount === 0 ? [] : [{ amount: discount, discount: `di_${id.slice(3)}` }],
    total_taxes: tax === 0 ? [] : [complete('total_tax', { amount: tax, taxable_amount: total - tax })],
    account_name: page.seller,
    amount_due: total,
    amount_paid: total,
    amount_remaining: 0,
    attempt_count: 0,
    attempted: true,
    auto_advance: false,
    automatically_finalizes_at: null,
    billing_reason: 'manual',
    currency: page.price.currency,
    customer_email: page.payerEmail,
    effective_at: created,
    hosted_invoice_url: null,
    lines: toList(`/v1/invoices/${id}/lines`, [lineItem(page, id, created)]),
    next_payment_attempt: null,
    number: id.slice(-8).toUpperCase(),
    parent: null,
    period_end: created,
    period_start: created,
    status_transitions: { finalized_at: created, paid_at: created },
    webhooks_delivered_at: created,
  })
}

function lineItem(page: PageRecord, invoice: string, created: number) {
  const { price, quantity } = page
  const { subtotal, discount, tax } = amountsToday(page)
  return complete('line_item', {
    amount: subtotal,
    quantity,
    subscription: null,
    id: `il_${invoice.slice(3)}`,
    currency: price.currency,
    discount_amounts: discount === 0 ? [] : [{ amount: discount, discount: `di_${invoice.slice(3)}` }],
    taxes: tax === 0 ? [] : [complete('total_tax', { amount: tax, taxable_amount: subtotal - discount })],
    description: price.label,
    invoice,
    metadata: {},
    parent: null,
    period: { end: created, start: created },
    pricing: {
      price_details: { price: price.id, product: productId(price) },
      unit_amount_decimal: String(price.amount),
    },
    quantity_decimal: String(quantity),
    subtotal,
  })
}

/** When the page was paid. A page whose code takes everything off has no payment. */
const paidAt = (context: AccountContext, { payment, created }: PageRecord) =>
  payment === null ? created : (find(context, 'payments', payment).endedAt ?? created)

/** The invoice of a page; null if there is none. */
export const findPostPaymentInvoice = (context: AccountContext, page: PageRecord) =>
  postPaymentInvoice(page, paidAt(context, page))

/** The invoice with that id; null if there is none. */
export function postPaymentInvoiceById(context: AccountContext, id: string) {
  const page = all(context, 'pages').find((each) => postPaymentInvoiceId(each) === id)
  return page ? findPostPaymentInvoice(context, page) : null
}

/** The links from invoices to a payment intent. */
export const postPaymentInvoicePayments = (context: AccountContext, payment: string | undefined) =>
  all(context, 'pages')
    .filter((page) => page.payment !== null && page.payment === payment)
    .flatMap((page) => {
      const invoice = findPostPaymentInvoice(context, page)
      return invoice && page.payment ? [invoicePayment(invoice, page.payment)] : []
    })

const invoicePayment = ({ id, created, currency, amount_paid: amount }: PostPaymentInvoice, payment_intent: string) =>
  complete('invoice_payment', {
    id: `inpay_${id.slice(3)}`,
    created,
    amount_paid: amount,
    amount_requested: amount,
    currency,
    invoice: id,
    payment: { payment_intent },
    status: 'paid',
    status_transitions: { paid_at: created },
  })
