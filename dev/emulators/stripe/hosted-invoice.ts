import { html } from 'hono/html'
import { type AccountContext, find } from '../core/domain/context.ts'
import { collectInvoice } from '../core/domain/invoices.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import { collect } from '../core/domain/renewals.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import type { HostedPage } from '../core/pages/visits.ts'
import { findWaiting, payUpdate } from './plan-changes.ts'
import { renewals } from './rules.ts'

/**
 * The hosted page of an invoice, at its `hosted_invoice_url`, which "allows customers to view and pay an invoice"
 * (docs.stripe.com/api/invoices/object). It leads nowhere afterwards.
 */
export function hostedInvoice(
  context: AccountContext,
  invoice: InvoiceRecord,
  { path, money }: { path: string; money(amount: number, currency: string): string },
): HostedPage {
  const { status, price, seller, amount } = invoice
  const total = money(amount, price.currency)
  const view = {
    title: 'Your invoice',
    heading: seller,
    label: price.label,
    price: total,
    terms: `Invoice of ${seller}`,
    pay: `Pay ${total}`,
    buttons: { decline: 'Decline the card' },
    hint: html`“Pay” succeeds at once. “Decline the card” makes the bank refuse the payment.`,
  }
  const action = (succeeds: boolean) => () => {
    payHosted(context, invoice, succeeds)
    return { to: path }
  }
  return {
    ...(status !== 'open' && { closed: { title: `This invoice is ${status}`, text: total } }),
    show: (problem) => checkoutPage(view, problem),
    actions: { pay: action(true), decline: action(false) },
  }
}

function payHosted(context: AccountContext, invoice: InvoiceRecord, succeeds: boolean): void {
  const waiting = findWaiting(context, invoice)
  if (waiting && succeeds) payUpdate(context, waiting)
  else if (waiting) collectInvoice(context, invoice, false)
  else collect(context, find(context, 'subscriptions', invoice.subscription), invoice, succeeds, renewals(context))
}
