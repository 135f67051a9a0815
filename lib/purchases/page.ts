import type { PageSale, PurchaseReference } from '../processors/processor.ts'

/** What was to be sold on a hosted page, as the database gives it: see lib/db/page-sale.sql. */
export type SaleRow = Omit<PageSale, 'processorPrice' | 'openedAt'> & {
  processorPrice: string | null
  openedAt: string
}

/** A hosted page, with what was to be sold on it, as far as that is known: pages from before that was stored lack it. */
export function pageReference(id: string, { processorPrice, openedAt, ...sale }: SaleRow): PurchaseReference {
  if (processorPrice === null) return { kind: 'page', id }
  return { kind: 'page', id, sale: { ...sale, processorPrice, openedAt: new Date(openedAt) } }
}
