import type { PageSale, PurchaseReference } from '../processors/processor.ts'

/** What a hosted page offers for sale, as the database returns it: see lib/purchases/page-sale.sql. */
export type SaleRow = Omit<PageSale, 'openedAt'> & { openedAt: string }

/** A reference to a hosted page, with what it offers for sale. */
export function pageReference(id: string, { openedAt, ...sale }: SaleRow): PurchaseReference {
  return { kind: 'page', id, sale: { ...sale, openedAt: new Date(openedAt) } }
}
