import * as z from 'zod'
import type { Mistake } from '../core/wire/parse.ts'
import { mollieError, unprocessable } from './errors.ts'

/** A mistake in a query is Mollie's 400. */
export const wrongQuery = ({ path, message }: Mistake) =>
  mollieError(400, `Invalid query parameters: ${message} (${path.join('.')})`)

/** One in a body is its 422. */
export function wrongBody({ path, problem, message, code }: Mistake) {
  const field = path.join('.')
  if (problem === 'unknown') return unprocessable(`Non-existent body parameter "${field}" for this API call.`, field)
  const text = code === 'custom' ? message : `The ${field} is invalid: ${message}`
  return unprocessable(text, field === '' ? undefined : field)
}

export const locale = z.string().regex(/^[a-z]{2}_[A-Z]{2}$/, 'The locale is invalid')

/** The query parameters of lists. `from` is the id of the first row that is asked for. */
export const PageQuery = z.strictObject({
  from: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
})
