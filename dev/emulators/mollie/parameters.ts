import * as z from 'zod'
import type { HttpRequest } from '../core/server.ts'
import { readJson, readQuery } from '../core/wire/json-fields.ts'
import { parseWith } from '../core/wire/parse.ts'
import { mollieError, unprocessable } from './errors.ts'

/** Parses the query of a GET, else the body. A mistake in a query is Mollie's 400, as is a body that is no JSON. */
export function parseCall<Schema extends z.ZodType>(schema: Schema, { method, query, body }: HttpRequest) {
  if (method !== 'GET') return parseBody(schema, readJson(body))
  return parseWith(schema, readQuery(query), ({ path, message }) =>
    mollieError(400, `Invalid query parameters: ${message} (${path.join('.')})`),
  )
}

/** Parses a body that was read as JSON. Any other mistake in it is Mollie's 422. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (body === undefined) throw mollieError(400, 'The request body is not valid JSON.')
  return parseWith(schema, body, ({ path, isUnknown, message, code }) => {
    const field = path.join('.')
    if (isUnknown) return unprocessable(`Non-existent body parameter "${field}" for this API call.`, field)
    const problem = code === 'custom' ? message : `The ${field} is invalid: ${message}`
    return unprocessable(problem, field === '' ? undefined : field)
  })
}

export const locale = z.string().regex(/^[a-z]{2}_[A-Z]{2}$/, 'The locale is invalid')

/** The query parameters of lists. `from` is the id of the first row that is asked for. */
export const PageQuery = z.strictObject({
  from: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
})
