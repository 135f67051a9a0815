import type { PageSale, PurchaseReference } from '../processors/processor.ts'

/** What was to be sold on a hosted page, as the database gives it: see lib/purchases/page-sale.sql. */
export type SaleRow = Omit<PageSale, 'openedAt'> & { openedAt: string }

/** A hosted page, with what was to be sold on it. */
export function pageReference(id: string, { openedAt, ...sale }: SaleRow): PurchaseReference {
  return { kind: 'page', id, sale: { ...sale, openedAt: new Date(openedAt) } }
}
