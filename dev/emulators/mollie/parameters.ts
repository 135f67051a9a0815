import * as z from 'zod'
import { firstIssue } from '../core/wire/issues.ts'
import { MollieError, unprocessable } from './errors.ts'

/**
 * Parses a body that was read as JSON. Throws Mollie's 400 if it was none, and its 422 for the first mistake; unknown
 * fields come before all others.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (body === undefined) throw new MollieError(400, 'The request body is not valid JSON.')
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const issue = firstIssue(result.error)
  if (issue?.code === 'unrecognized_keys') {
    const name = [...issue.path, ...issue.keys.slice(0, 1)].join('.')
    throw unprocessable(`Non-existent body parameter "${name}" for this API call.`, name)
  }
  throw unprocessable(describe(issue), issue && issue.path.length > 0 ? issue.path.join('.') : undefined)
}

/** Parses a query string. Throws Mollie's 400 for a parameter that the path does not have. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: string): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(new URLSearchParams(query)))
  if (result.success) return result.data
  throw new MollieError(400, `Invalid query parameters: ${z.prettifyError(result.error)}`)
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'The request is invalid'
  return issue.code === 'custom' ? issue.message : `The ${issue.path.join('.')} is invalid: ${issue.message}`
}

export const locale = z.string().regex(/^[a-z]{2}_[A-Z]{2}$/, 'The locale is invalid')

/** The query parameters of lists. */
export const PageQuery = z.strictObject({
  from: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
})

export const Nothing = z.strictObject({})
