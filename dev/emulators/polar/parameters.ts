import * as z from 'zod'
import { matches } from '../core/domain/context.ts'

export const uuid = z.uuid('Input should be a valid UUID')
const one = z.string().optional()

type Paging = Pick<z.output<typeof ListQuery>, 'page' | 'limit'>

const paging = {
  page: z.coerce.number().int().min(1).default(1),
  sorting: z.literal('-created_at').optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
}

/** The query of a list: the page and filters. Newest first. */
export const ListQuery = z.strictObject({ ...paging, customer_id: one, checkout_id: one, subscription_id: one })

/** The query of the list of disputes, optionally filtered by orders. */
export const DisputesQuery = z
  .strictObject({ ...paging, order_id: z.union([z.array(uuid), uuid.transform((id) => [id])]).optional() })
  .transform(({ order_id: orders, ...query }) => ({ ...query, orders }))

/** The query of the list of refunds, optionally filtered by ids or by an order. */
export const RefundsQuery = z
  .strictObject({
    ...paging,
    id: z.union([z.array(uuid), uuid.transform((id) => [id])]).optional(),
    order_id: uuid.optional(),
  })
  .transform(({ id: ids, order_id: order, ...query }) => ({ ...query, ids, order }))

/** One page of the rows that match the query. */
export function toPage(
  all: object[],
  { page, limit, customer_id, checkout_id, subscription_id }: Partial<z.output<typeof ListQuery>> & Paging,
) {
  const filter = { customer_id, checkout_id, subscription_id }
  const rows = all.filter(matches(filter))
  const pagination = { total_count: rows.length, max_page: Math.ceil(rows.length / limit) }
  return { items: rows.slice((page - 1) * limit, page * limit), pagination }
}
