import * as z from 'zod'
import type { RecordedCall } from '../core/calls.ts'
import type { HttpRequest } from '../core/server.ts'
import { firstIssue } from '../core/wire/issues.ts'
import { readJson } from '../core/wire/json-fields.ts'
import type { Parse } from '../core/wire/routes.ts'
import { invalid } from './errors.ts'

export const Nothing = z.strictObject({})
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

/** Refuses the first mistake in what a call has: the query of a GET, else the body as JSON. */
export const parserOf =
  ({ method }: RecordedCall, { query, body }: HttpRequest): Parse =>
  (schema) =>
  () => {
    const isRead = method === 'GET'
    const given = isRead ? Object.fromEntries(new URLSearchParams(query)) : readJson(body)
    if (given === undefined) throw invalid(['body'], 'JSON decode error', body, 'json_invalid')
    const result = schema.safeParse(given)
    if (result.success) return result.data
    const issue = firstIssue(result.error)
    const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)))
    throw invalid([isRead ? 'query' : 'body', ...path], issue?.message ?? 'Invalid', undefined, issue?.code)
  }

/** One page of a list. */
export function pageOf<Row>(rows: Row[], { page, limit, sorting }: z.output<typeof ListQuery>) {
  const sorted = sorting.startsWith('-') ? rows : rows.toReversed()
  return {
    items: sorted.slice((page - 1) * limit, page * limit),
    pagination: { total_count: rows.length, max_page: Math.ceil(rows.length / limit) },
  }
}
