import * as z from 'zod'
import { type Form, parameterName } from '../core/wire/form.ts'
import { refusedField } from '../core/wire/form-fields.ts'
import { firstIssue } from '../core/wire/issues.ts'
import { refused } from './errors.ts'

/** Parses a form. Throws Stripe's 400 for the first mistake; unknown parameters come before all others. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form, { reportInput: true })
  if (result.success) return result.data
  throw refusalOf(firstIssue(result.error))
}

function refusalOf(issue: z.core.$ZodIssue | undefined) {
  if (!issue) return refused('invalid', { message: 'Invalid request' })
  const param = parameterName(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return refused('parameter_unknown', { param: parameterName([...issue.path, ...issue.keys.slice(0, 1)]) })
  }
  if (issue.input === undefined) return refused('parameter_missing', { param })
  const field = refusedField(issue)
  if (field) return refused(`${field.kind}_field`, { value: field.value, param })
  if (issue.code === 'custom') return refused('parameter_invalid', { message: issue.message, param })
  const problem = issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message
  return refused('parameter_invalid', { message: `Invalid ${param}: ${problem}`, param })
}

/** Stripe's limits: 50 keys, 40 characters a key, 500 a value. An empty value unsets the key. */
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, 'You can have at most 50 keys')
