import * as z from 'zod'
import { having } from '../core/domain/context.ts'

export const uuid = z.uuid('Input should be a valid UUID')
const one = z.string().optional()

/** The query of a list: the page, and what its rows must have. The newest are first. */
export const ListQuery = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  sorting: z.literal('-created_at').optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
  ...{ customer_id: one, checkout_id: one, subscription_id: one },
})

/** One page of the rows that have what the query names. */
export function pageOf(all: object[], { page, sorting: _, limit, ...wanted }: z.output<typeof ListQuery>) {
  const rows = all.filter(having(wanted))
  const pagination = { total_count: rows.length, max_page: Math.ceil(rows.length / limit) }
  return { items: rows.slice((page - 1) * limit, page * limit), pagination }
}
