import * as z from 'zod'
import { having } from '../core/domain/context.ts'

export const uuid = z.uuid('Input should be a valid UUID')
const one = z.string().optional()

/** The query of a list: the page, and what its rows must have. */
export const ListQuery = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(10),
  sorting: z.enum(['-created_at', 'created_at', '-started_at', 'started_at']).default('-created_at'),
  ...{
    customer_id: one,
    external_customer_id: one,
    checkout_id: one,
    subscription_id: one,
    order_id: one,
    status: one,
  },
})

/** One page of the rows that have what the query names. They are given with the newest first. */
export function pageOf(all: object[], { page, limit, sorting, ...wanted }: z.output<typeof ListQuery>) {
  const rows = all.filter(having(wanted))
  const sorted = sorting.startsWith('-') ? rows : rows.toReversed()
  return {
    items: sorted.slice((page - 1) * limit, page * limit),
    pagination: { total_count: rows.length, max_page: Math.ceil(rows.length / limit) },
  }
}
