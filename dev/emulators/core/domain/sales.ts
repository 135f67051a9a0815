import { sumAmounts } from './amounts.ts'
import { type AccountContext, all, find, newestFirst } from './context.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import type { SubscriptionRecord } from './selling-records.ts'

/** A sale: a period of a subscription, which has an invoice, or a one-time purchase, which has a payment only. */
export interface Sale
  extends Pick<
    InvoiceRecord,
    'id' | 'created' | 'price' | 'quantity' | 'lines' | 'discount' | 'tax' | 'fromBalance' | 'amount' | 'status' | 'own'
  > {
  customer: string
  /** Null: a one-time purchase. */
  subscription: SubscriptionRecord | null
  reason: InvoiceRecord['reason'] | 'once'
  attempts: number
  isGivenUp: boolean
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

/** The one-time sale of a payment; null if there is none, or none yet. It is void if the payment failed. */
export function paymentSale(context: AccountContext, payment: PaymentRecord): Sale | null {
  const { id, created, customer, amount, status, endedAt, sold, own } = payment
  if (sold === null || customer === null) return null
  const once = { periodStart: created, periodEnd: created }
  return {
    id,
    created,
    customer,
    ...sold,
    amount,
    own,
    payment,
    subscription: null,
    reason: 'once',
    status: status === 'paid' ? 'paid' : status === 'pending' ? 'open' : 'void',
    attempts: newestFirst(context, 'attempts', { payment: id }).length,
    isGivenUp: false,
    fromBalance: 0,
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

/** Oldest first, sales with invoices before the others. */
export const allSales = (context: AccountContext): Sale[] => [
  ...all(context, 'invoices').map((invoice) => invoiceSale(context, invoice)),
  ...all(context, 'payments').flatMap((payment) => paymentSale(context, payment) ?? []),
]

/** The sale that a payment pays. Throws the processor's error if there is none. */
export function findSale(context: AccountContext, payment: PaymentRecord): Sale {
  const sale = salePaidBy(context, payment)
  if (!sale) throw context.noSuch('payments', payment.id)
  return sale
}

/** The sale that a payment pays; null if there is none, as for a card declined on a page. */
export function salePaidBy(context: AccountContext, payment: PaymentRecord): Sale | null {
  const invoice = all(context, 'invoices').find((each) => each.payment === payment.id)
  return invoice ? invoiceSale(context, invoice) : paymentSale(context, payment)
}

/** The amounts of a sale without and with discount and taxes. */
export function sumTotals({ lines, discount, tax }: Pick<Sale, 'lines' | 'discount' | 'tax'>) {
  const subtotal = sumAmounts(lines)
  return { subtotal, total: subtotal - discount + tax }
}
