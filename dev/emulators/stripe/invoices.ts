import { newId, newRecord } from '../core/new-record.ts'
import type { Ledger } from './account-context.ts'
import { invoiceObject } from './objects/invoice.ts'
import { charge, findPayment, openPayment } from './payments.ts'
import type { InvoiceRecord, PaymentRecord, SubscriptionRecord } from './records.ts'

interface InvoiceOf {
  subscription: SubscriptionRecord
  seller: string
  email: string | null
  reason: InvoiceRecord['reason']
  /** A draft is finalised when it is collected. */
  status: 'draft' | 'open'
  /** Minor units; 0 while in a trial. */
  amount: number
}

/** An unpaid invoice for the subscription's current period; its latest from now on. Nothing is told of it yet. */
export function newInvoice(ledger: Ledger, { subscription, ...of }: InvoiceOf): InvoiceRecord {
  const invoice: InvoiceRecord = {
    ...newRecord(ledger, 'in_'),
    ...of,
    lineId: newId('il_'),
    number: newId('', 4).toUpperCase(),
    customer: subscription.customer,
    subscription: subscription.id,
    subscriptionItem: subscription.itemId,
    subscriptionMetadata: { ...subscription.metadata },
    price: subscription.price,
    quantity: subscription.quantity,
    periodStart: subscription.periodStart,
    periodEnd: subscription.periodEnd,
    attempts: 0,
    paidAt: null,
    payment: null,
  }
  ledger.records.invoices.set(invoice.id, invoice)
  subscription.latestInvoice = invoice.id
  return invoice
}

/** Marks an invoice as paid: by `payment`, or by nothing if nothing is due. */
export function settleInvoice(ledger: Ledger, invoice: InvoiceRecord, payment: PaymentRecord | null): void {
  if (payment) invoice.payment ??= { id: payment.id, linkId: newId('inpay_') }
  invoice.status = 'paid'
  invoice.paidAt = ledger.now
  invoice.attempts += 1
  ledger.emit('invoice.paid', invoiceObject(invoice))
}

/** Tries the card on file for an unpaid invoice. The same payment intent is tried again after a failure. */
export function collectInvoice(ledger: Ledger, invoice: InvoiceRecord, succeeds: boolean): void {
  const payment = invoice.amount > 0 ? invoicePayment(ledger, invoice) : null
  if (payment) charge(ledger, payment, succeeds)
  if (!payment || succeeds) {
    settleInvoice(ledger, invoice, payment)
    return
  }
  invoice.status = 'open'
  invoice.attempts += 1
  ledger.emit('invoice.payment_failed', invoiceObject(invoice))
}

function invoicePayment(ledger: Ledger, invoice: InvoiceRecord): PaymentRecord {
  if (invoice.payment) return findPayment(ledger, invoice.payment.id)
  const payment = openPayment(ledger, paymentOf(invoice))
  invoice.payment = { id: payment.id, linkId: newId('inpay_') }
  return payment
}

const paymentOf = (invoice: InvoiceRecord) => ({
  amount: invoice.amount,
  currency: invoice.price.currency,
  customer: invoice.customer,
  email: invoice.email,
  description: invoice.reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
  metadata: {},
})
