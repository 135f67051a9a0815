import { computeAmounts, currentTerms } from './amounts.ts'
import { type AccountContext, all, find, newRecord } from './context.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import { attemptPayment, openPayment } from './payments.ts'
import type { PricedLine, SubscriptionRecord } from './selling-records.ts'

interface NewInvoice extends Pick<InvoiceRecord, 'seller' | 'email' | 'reason' | 'lines'> {
  status: 'draft' | 'open'
}

/** The invoice line of a whole period. */
export const periodLine = ({ price, quantity, periodStart, periodEnd }: SubscriptionRecord): PricedLine => ({
  price,
  quantity,
  amount: price.amount * quantity,
  periodStart,
  periodEnd,
  isProration: false,
})

/**
 * Creates an unpaid invoice for the subscription's current period and makes it the latest. The customer's balance is used first,
 * except for the first invoice, which was paid on a page. Emits no event.
 */
export function newInvoice(
  context: AccountContext,
  subscription: SubscriptionRecord,
  given: NewInvoice,
): InvoiceRecord {
  const invoice = calculateInvoice(context, subscription, given)
  // A negative total is added to the balance.
  find(context, 'customers', invoice.customer).balance -= invoice.fromBalance
  context.records.invoices.set(invoice.id, invoice)
  subscription.latestInvoice = invoice.id
  return invoice
}

/** The same invoice, of which no record is kept. */
export function calculateInvoice(
  context: AccountContext,
  subscription: SubscriptionRecord,
  given: NewInvoice,
): InvoiceRecord {
  const { id, customer, price, quantity, periodStart, periodEnd } = subscription
  const { discount, tax, total } = computeAmounts(currentTerms(subscription, given.reason === 'create'), given.lines)
  const fromBalance = given.reason === 'create' ? 0 : Math.min(find(context, 'customers', customer).balance, total)
  return {
    ...newRecord(context, 'invoices'),
    ...given,
    customer,
    subscription: id,
    price,
    quantity,
    periodStart,
    periodEnd,
    discount,
    tax,
    fromBalance,
    amount: total - fromBalance,
    attempts: 0,
    isGivenUp: false,
    paidAt: null,
    payment: null,
    own: structuredClone(subscription.own),
  }
}

/** Marks an invoice as paid by `payment`; null: nothing was due. */
export function markInvoicePaid(context: AccountContext, invoice: InvoiceRecord, payment: PaymentRecord | null): void {
  if (payment) invoice.payment = payment.id
  invoice.status = 'paid'
  invoice.paidAt = context.now
  invoice.attempts += 1
  context.emit({ what: 'invoice.paid', invoice })
}

/** Charges the customer's stored payment method for an unpaid invoice. Later attempts belong to the same payment. */
export function collectInvoice(context: AccountContext, invoice: InvoiceRecord, succeeds: boolean): void {
  const payment = invoice.amount > 0 ? findInvoicePayment(context, invoice) : null
  if (payment) attemptPayment(context, payment, succeeds ? 'paid' : 'failed')
  if (!payment || succeeds) {
    markInvoicePaid(context, invoice, payment)
    return
  }
  invoice.status = 'open'
  invoice.attempts += 1
  context.emit({ what: 'invoice.failed', invoice })
}

/** The payment for an invoice, which is opened with the first attempt. */
export function findInvoicePayment(context: AccountContext, invoice: InvoiceRecord): PaymentRecord {
  if (invoice.payment !== null) return find(context, 'payments', invoice.payment)
  const { amount, customer, email, subscription, price } = invoice
  const description = invoice.reason === 'create' ? 'Subscription creation' : 'Subscription update'
  const currency = price.currency
  const payment = openPayment(context, { amount, currency, customer, email, subscription, description })
  invoice.payment = payment.id
  return payment
}

export function latestInvoice(context: AccountContext, { latestInvoice: id }: SubscriptionRecord): InvoiceRecord {
  return find(context, 'invoices', id ?? '')
}

/** The unpaid invoices of a subscription, drafts and open ones, oldest first. */
export const owedInvoices = (context: AccountContext, { id }: SubscriptionRecord): InvoiceRecord[] =>
  all(context, 'invoices').filter(
    ({ subscription, status }) => subscription === id && (status === 'draft' || status === 'open'),
  )

/** The invoice number that the customer sees. */
export const invoiceNumber = ({ id }: InvoiceRecord) => id.slice(-8).toUpperCase()
