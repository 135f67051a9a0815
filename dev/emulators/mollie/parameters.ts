import * as z from 'zod'
import { MollieError, unprocessable } from './errors.ts'

/** Reads a JSON body against a schema; throws Mollie's 422 for the first thing wrong, unknown members first. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const { issues } = result.error
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue?.code === 'unrecognized_keys') {
    const name = [...issue.path, ...issue.keys.slice(0, 1)].join('.')
    throw unprocessable(`Non-existent body parameter "${name}" for this API call.`, name)
  }
  // Mollie names a member of the body, not what is wrong inside it.
  const field = issue?.path[0]
  throw unprocessable(describe(issue), field === undefined ? undefined : String(field))
}

/** Reads a query string; throws Mollie's 400 for what an address does not take. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: string): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(new URLSearchParams(query)))
  if (result.success) return result.data
  throw new MollieError(400, `Invalid query parameters: ${z.prettifyError(result.error)}`)
}

/** A body as JSON; Mollie's 400 where it is none. An empty one has no members. */
export function readJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    throw new MollieError(400, 'The request body is not valid JSON.')
  }
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'The request is invalid'
  return issue.code === 'custom' ? issue.message : `The ${issue.path.join('.')} is invalid: ${issue.message}`
}

export const webAddress = z
  .string()
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'The URL is invalid')

/** What may be left out or null, and is null then. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null)

export const locale = z.string().regex(/^[a-z]{2}_[A-Z]{2}$/, 'The locale is invalid')

/** Of lists. */
export const PageQuery = z.strictObject({
  from: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
})

export const Nothing = z.strictObject({})
