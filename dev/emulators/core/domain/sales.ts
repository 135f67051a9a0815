import { sumAmounts } from './amounts.ts'
import { type AccountContext, all, find, newestFirst } from './context.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import type { SubscriptionRecord } from './selling-records.ts'

/** What was sold: a period of a subscription, which has an invoice, or something once, which has a payment alone. */
export interface Sale
  extends Pick<
    InvoiceRecord,
    'id' | 'created' | 'price' | 'quantity' | 'lines' | 'discount' | 'tax' | 'fromBalance' | 'amount' | 'status' | 'own'
  > {
  customer: string
  /** Null: it was sold once. */
  subscription: SubscriptionRecord | null
  reason: InvoiceRecord['reason'] | 'once'
  attempts: number
  isGivenUp: boolean
  /** What is to pay it, or has. */
  payment: PaymentRecord | null
  period: [from: number, to: number]
  paidAt: number | null
}

export function invoiceSale(context: AccountContext, invoice: InvoiceRecord): Sale {
  const { subscription, payment, periodStart, periodEnd } = invoice
  return {
    ...invoice,
    subscription: find(context, 'subscriptions', subscription),
    payment: payment === null ? null : find(context, 'payments', payment),
    period: [periodStart, periodEnd],
  }
}

/** What a payment has sold once; null if that is nothing, or nothing yet. It is void if the payment has failed. */
export function paymentSale(context: AccountContext, payment: PaymentRecord): Sale | null {
  const { id, created, customer, amount, status, endedAt, sold, own } = payment
  if (sold === null || customer === null) return null
  const once = { periodStart: created, periodEnd: created }
  return {
    ...{ id, created, customer, ...sold, amount, own, payment, subscription: null, reason: 'once' },
    status: status === 'paid' ? 'paid' : status === 'pending' ? 'open' : 'void',
    attempts: newestFirst(context, 'attempts', { payment: id }).length,
    ...{ isGivenUp: false, fromBalance: 0 },
    lines: [
      {
        price: sold.price,
        quantity: sold.quantity,
        amount: sold.price.amount * sold.quantity,
        ...once,
        isProration: false,
      },
    ],
    period: [created, created],
    paidAt: status === 'paid' ? endedAt : null,
  }
}

/** The oldest first, those of invoices before the others. */
export const allSales = (context: AccountContext): Sale[] => [
  ...all(context, 'invoices').map((invoice) => invoiceSale(context, invoice)),
  ...all(context, 'payments').flatMap((payment) => paymentSale(context, payment) ?? []),
]

/** What a payment pays. Throws the processor's error if that is nothing. */
export function findSale(context: AccountContext, payment: PaymentRecord): Sale {
  const sale = salePaidBy(context, payment)
  if (!sale) throw context.noSuch('payments', payment.id)
  return sale
}

/** The same; null if that is nothing, such as a card that was declined on a page. */
export function salePaidBy(context: AccountContext, payment: PaymentRecord): Sale | null {
  const invoice = all(context, 'invoices').find((each) => each.payment === payment.id)
  return invoice ? invoiceSale(context, invoice) : paymentSale(context, payment)
}

/** What a sale comes to before its discount and taxes, and with them. */
export function sumTotals({ lines, discount, tax }: Pick<Sale, 'lines' | 'discount' | 'tax'>) {
  const subtotal = sumAmounts(lines)
  return { subtotal, total: subtotal - discount + tax }
}
