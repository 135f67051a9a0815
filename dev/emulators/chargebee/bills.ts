import type { AccountContext } from '../core/domain/context.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { isReversed } from '../core/domain/reversals.ts'
import { allSales, type Sale, salePaidBy } from '../core/domain/sales.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { notFound } from './errors.ts'

/**
 * What the ids of a site's invoices begin with: an owner chooses it. This one has all that makes an id hard to put into an
 * address. In one that is imported may be even more.
 */
export const INVOICE_PREFIX = 'ACME/2026.#'

/** An invoice of Chargebee: also a one-time payment has one. */
export interface Bill extends Omit<Sale, 'status'> {
  status: 'paid' | 'payment_due' | 'not_paid' | 'voided' | 'pending'
}

export const billOf = (context: AccountContext, sale: Sale): Bill => ({
  ...sale,
  id: sale.subscription === null ? INVOICE_PREFIX + sale.id : sale.id,
  status: statusOf(context, sale),
})

/** A subscription's invoices, the oldest first. Chargebee makes none for a trial. */
export const billsOf = (context: AccountContext, subscriptionId: string): Bill[] =>
  allSales(context)
    .filter(({ subscription, amount }) => subscription?.id === subscriptionId && amount > 0)
    .map((sale) => billOf(context, sale))

export function findBill(context: AccountContext, id: string): Bill {
  const bill = allSales(context)
    .map((sale) => billOf(context, sale))
    .find((each) => each.id === id)
  if (!bill) throw notFound(id)
  return bill
}

export const isDue = ({ status }: Bill) => status === 'payment_due' || status === 'not_paid'

/** The bill that a payment pays; null if it paid none, such as a card that was declined on a page. */
export function billPaidBy(context: AccountContext, payment: PaymentRecord): Bill | null {
  const sale = salePaidBy(context, payment)
  return sale && billOf(context, sale)
}

function statusOf(context: AccountContext, { status, subscription, payment }: Sale): Bill['status'] {
  switch (status) {
    case 'draft':
      return 'pending'
    case 'void':
      return 'not_paid'
    case 'paid':
      return payment && isReversed(context, payment) ? 'not_paid' : 'paid'
    case 'open':
      return subscription && hasEnded(subscription) ? 'not_paid' : 'payment_due'
  }
}
