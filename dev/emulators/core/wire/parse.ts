import * as z from 'zod'
import { firstIssue } from './issues.ts'

export const Nothing = z.strictObject({})

/** The first mistake in what a call has. Unknown fields come before all others. */
export interface Mistake {
  /** Where it is, the name of an unknown field included. */
  path: (string | number)[]
  isUnknown: boolean
  message: string
  code: string
}

/** Parses what a call has. `refuse` makes the processor's error of the first mistake. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  refuse: (mistake: Mistake) => Error,
): z.output<Schema> {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const issue = firstIssue(result.error)
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...(issue?.path ?? []), ...unknown].map((part) => (typeof part === 'number' ? part : String(part)))
  const { message = 'Invalid', code = 'custom' } = issue ?? {}
  throw refuse({ path, isUnknown: unknown.length > 0, message, code })
}
