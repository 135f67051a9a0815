import { newId, newRecord } from '../core/tables.ts'
import type { AccountContext } from './account-context.ts'
import { invoiceObject } from './objects/invoice.ts'
import { chargeCard, findPayment, openPayment } from './payments.ts'
import type { InvoiceRecord, PaymentRecord, SubscriptionRecord } from './records.ts'

interface NewInvoice {
  subscription: SubscriptionRecord
  seller: string
  email: string | null
  reason: InvoiceRecord['reason']
  /** A draft is finalised when it is charged. */
  status: 'draft' | 'open'
  /** Minor units; 0 while in a trial. */
  amount: number
}

/** Makes an unpaid invoice for the subscription's current period, its latest from now on. No event is sent yet. */
export function newInvoice(context: AccountContext, { subscription, ...given }: NewInvoice): InvoiceRecord {
  const invoice: InvoiceRecord = {
    ...newRecord(context, 'in_'),
    ...given,
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
  context.records.invoices.set(invoice.id, invoice)
  subscription.latestInvoice = invoice.id
  return invoice
}

/** Marks an invoice as paid. `payment` paid it; null: nothing was due. */
export function markInvoicePaid(context: AccountContext, invoice: InvoiceRecord, payment: PaymentRecord | null): void {
  if (payment) invoice.payment ??= { id: payment.id, linkId: newId('inpay_') }
  invoice.status = 'paid'
  invoice.paidAt = context.now
  invoice.attempts += 1
  context.emit('invoice.paid', invoiceObject(invoice))
}

/** Charges the card on file for an unpaid invoice. An attempt after a failure uses the same payment intent. */
export function collectInvoice(context: AccountContext, invoice: InvoiceRecord, succeeds: boolean): void {
  const payment = invoice.amount > 0 ? invoicePayment(context, invoice) : null
  if (payment) chargeCard(context, payment, succeeds)
  if (!payment || succeeds) {
    markInvoicePaid(context, invoice, payment)
    return
  }
  invoice.status = 'open'
  invoice.attempts += 1
  context.emit('invoice.payment_failed', invoiceObject(invoice))
}

function invoicePayment(context: AccountContext, invoice: InvoiceRecord): PaymentRecord {
  if (invoice.payment) return findPayment(context, invoice.payment.id)
  const payment = openPayment(context, paymentOf(invoice))
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
