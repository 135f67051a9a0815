import type { Invoice } from 'chargebee'
import { sumAmounts } from '../core/domain/amounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { allSales, type Sale } from '../core/domain/sales.ts'
import { notFound } from './errors.ts'
import { saleOwn } from './own.ts'
import { isReversed } from './reversals.ts'

/* What Chargebee calls an invoice: every sale has one, also what is sold once. */

/**
 * What the ids of a site's invoices begin with: an owner chooses it. This one has all that makes an id hard to put into an
 * address. In one that is imported may be even more.
 */
export const INVOICE_PREFIX = 'ACME/2026.#'

/** What is sold once is kept as its payment, whose id has no such prefix. */
export const billId = ({ id, subscription }: Sale) => (subscription === null ? INVOICE_PREFIX + id : id)

/** A subscription's invoices, the oldest first. Chargebee makes none for a trial. */
export const listBills = (context: AccountContext, subscriptionId: string): Sale[] =>
  allSales(context).filter(({ subscription, lines }) => subscription?.id === subscriptionId && sumAmounts(lines) > 0)

export function findBill(context: AccountContext, id: string): Sale {
  const bill = allSales(context).find((sale) => billId(sale) === id)
  if (!bill) throw notFound(id)
  return bill
}

export const isDue = (context: AccountContext, bill: Sale) =>
  ['payment_due', 'not_paid'].includes(billStatus(context, bill))

export function billStatus(context: AccountContext, bill: Sale): Invoice['status'] {
  const { status, payment, isGivenUp } = bill
  if (saleOwn(bill).isVoided) return 'voided'
  if (status === 'draft') return 'pending'
  if (status === 'paid') return payment && isReversed(context, payment) ? 'not_paid' : 'paid'
  return isGivenUp || status === 'void' ? 'not_paid' : 'payment_due'
}
