import type * as z from 'zod'
import { type FieldKind, refusedField } from './form-fields.ts'
import { firstIssue } from './issues.ts'

/** The first mistake in what a call has. Unknown fields come before all others. */
export interface Mistake {
  /** Where it is, the name of an unknown field included. */
  path: (string | number)[]
  problem: 'unknown' | 'missing' | 'invalid'
  /** The kind of form field that it is in, and what was refused there; null if it is in something else. */
  field: { kind: FieldKind; value: string } | null
  message: string
  code: string
}

/** Parses what a call has. `refuse` makes the processor's error of the first mistake. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  refuse: (mistake: Mistake) => Error,
): z.output<Schema> {
  const result = schema.safeParse(given, { reportInput: true })
  if (result.success) return result.data
  const issue = firstIssue(result.error)
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...(issue?.path ?? []), ...unknown].map((part) => (typeof part === 'number' ? part : String(part)))
  const { message = 'Invalid', code = 'custom' } = issue ?? {}
  const text = issue?.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : message
  const problem = unknown.length > 0 ? 'unknown' : issue?.input === undefined ? 'missing' : 'invalid'
  throw refuse({ path, problem, field: issue ? refusedField(issue) : null, message: text, code })
}
