import type { Invoice } from 'chargebee'
import { sumAmounts } from '../core/domain/amounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { allSales, type Sale } from '../core/domain/sales.ts'
import { notFound } from './errors.ts'
import { saleOwn } from './own.ts'
import { isReversed } from './reversals.ts'

/* Chargebee's invoices: every sale has one, including one-time purchases. */

/**
 * The prefix of a site's invoice ids, which the owner chooses. This one has characters that are hard to put into a URL. Ids of
 * imported invoices may be even harder.
 */
export const INVOICE_PREFIX = 'ACME/2026.#'

/** A one-time sale is stored as its payment, whose id has no such prefix. */
export const billId = ({ id, subscription }: Sale) => (subscription === null ? INVOICE_PREFIX + id : id)

/** A subscription's invoices, oldest first. Chargebee creates none for a trial. */
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
