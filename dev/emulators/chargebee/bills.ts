import { type AccountContext, all, find } from '../core/domain/context.ts'
import type { InvoiceRecord, PaymentRecord } from '../core/domain/money-records.ts'
import { disputesOf } from '../core/domain/reversals.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { notFound } from './errors.ts'
import { paymentOwn } from './own.ts'

/**
 * What the ids of a site's invoices begin with: an owner chooses it. This one has all that makes an id hard to put into an
 * address. In one that is imported may be even more.
 */
export const INVOICE_PREFIX = 'ACME/2026.#'

/** An invoice of Chargebee: made of an invoice of the core, or of a one-time payment, which has none there. */
export interface Bill {
  id: string
  created: number
  customer: string
  subscription: string | null
  status: 'paid' | 'payment_due' | 'not_paid' | 'voided' | 'pending'
  amount: number
  currency: string
  sold: { itemPrice: string; label: string; quantity: number; poNumber: string | null }
  period: [from: number, to: number]
  paidAt: number | null
  payment: PaymentRecord | null
}

export function billOfInvoice(context: AccountContext, invoice: InvoiceRecord): Bill {
  const { id, created, customer, subscription, amount, price, quantity, periodStart, periodEnd, paidAt } = invoice
  const payment = invoice.payment === null ? null : find(context, 'payments', invoice.payment)
  const sold = { itemPrice: price.id, label: price.label, quantity, poNumber: null }
  return {
    ...{ id, created, customer, subscription, amount, currency: price.currency, sold, payment },
    status: statusOf(context, invoice, payment),
    period: [periodStart, periodEnd],
    paidAt,
  }
}

/** Null if no one-time sale was made by the payment, or not yet. */
export function billOfPayment(context: AccountContext, payment: PaymentRecord): Bill | null {
  const { sold } = paymentOwn(payment)
  const { customer, created, amount, currency, status, endedAt } = payment
  if (!sold || customer === null) return null
  return {
    ...{ id: INVOICE_PREFIX + payment.id, created, customer, subscription: null, amount, currency, sold, payment },
    status:
      status === 'pending' ? 'payment_due' : status === 'paid' && !isReversed(context, payment) ? 'paid' : 'not_paid',
    period: [created, created],
    paidAt: status === 'paid' ? endedAt : null,
  }
}

/** A subscription's invoices, the oldest first. Chargebee makes none for a trial. */
export const billsOf = (context: AccountContext, subscriptionId: string): Bill[] =>
  all(context, 'invoices')
    .filter(({ subscription, amount }) => subscription === subscriptionId && amount > 0)
    .map((invoice) => billOfInvoice(context, invoice))

export function findBill(context: AccountContext, id: string): Bill {
  const invoice = context.records.invoices.get(id)
  if (invoice?.account === context.account.id) return billOfInvoice(context, invoice)
  const payment = all(context, 'payments').find((each) => id === INVOICE_PREFIX + each.id)
  const bill = payment && billOfPayment(context, payment)
  if (!bill) throw notFound(id)
  return bill
}

export const isDue = ({ status }: Bill) => status === 'payment_due' || status === 'not_paid'

/** The bill that a payment pays; null if it paid none, such as a card that was declined on a page. */
export function billPaidBy(context: AccountContext, payment: PaymentRecord): Bill | null {
  const invoice = all(context, 'invoices').find((each) => each.payment === payment.id)
  return invoice ? billOfInvoice(context, invoice) : billOfPayment(context, payment)
}

/** Whether the payer's bank has taken the money back, and the seller has not won it again. */
export const isReversed = (context: AccountContext, payment: PaymentRecord) =>
  disputesOf(context, payment).some(({ status }) => status !== 'won')

function statusOf(context: AccountContext, invoice: InvoiceRecord, payment: PaymentRecord | null): Bill['status'] {
  switch (invoice.status) {
    case 'draft':
      return 'pending'
    case 'void':
      return 'not_paid'
    case 'paid':
      return payment && isReversed(context, payment) ? 'not_paid' : 'paid'
    case 'open':
      return hasEnded(find(context, 'subscriptions', invoice.subscription)) ? 'not_paid' : 'payment_due'
  }
}
