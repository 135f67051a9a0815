import type * as z from 'zod'
import { type FieldKind, refusedField } from './form-fields.ts'

/** The first mistake in a call's parameters. Unknown fields come before all others. */
export interface Mistake {
  /** The path of the field, including the name of an unknown field. */
  path: (string | number)[]
  problem: 'unknown' | 'missing' | 'invalid'
  /** The kind of form field and its refused value; null for mistakes of other kinds. */
  field: { kind: FieldKind; value: string } | null
  message: string
  code: string
}

/** Parses a call's parameters. `refuse` creates the processor's error for the first mistake. */
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

/** The first issue of a schema error; unknown fields come before all others. */
function firstIssue({ issues }: z.ZodError): z.core.$ZodIssue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
}
