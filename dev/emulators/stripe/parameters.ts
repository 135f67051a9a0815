import * as z from 'zod'
import { type Form, type FormValue, isForm, parameterName } from '../core/wire/form.ts'
import { type FieldKind, refusedField } from '../core/wire/form-fields.ts'
import { firstIssue } from '../core/wire/issues.ts'
import { notRun } from './errors.ts'

/** Parses a form. Throws Stripe's 400 for the first mistake; unknown parameters come before all others. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form)
  if (result.success) return result.data
  const { message, ...detail } = describe(firstIssue(result.error), form)
  throw notRun(400, message, detail)
}

/** The codes and messages of what is wrong with a field. */
const FIELDS: Record<FieldKind, [code: string, say: (value: string) => string]> = {
  empty: [
    'parameter_invalid_empty',
    () => 'You passed an empty string. We assume empty values are an attempt to unset a parameter.',
  ],
  integer: ['parameter_invalid_integer', (value) => `Invalid integer: ${value}`],
  boolean: ['parameter_invalid_boolean', (value) => `Invalid boolean: ${value}`],
  email: ['email_invalid', (value) => `Invalid email address: ${value}`],
  url: ['url_invalid', () => 'Not a valid URL'],
}

function describe(issue: z.core.$ZodIssue | undefined, form: Form): { message: string; code?: string; param?: string } {
  if (!issue) return { message: 'Invalid request' }
  if (issue.code === 'unrecognized_keys') {
    const param = parameterName([...issue.path, ...issue.keys.slice(0, 1)])
    return { code: 'parameter_unknown', message: `Received unknown parameter: ${param}`, param }
  }
  const param = parameterName(issue.path)
  const value = valueAt(form, issue.path)
  if (value === undefined) return { code: 'parameter_missing', message: `Missing required param: ${param}.`, param }
  if (issue.code === 'invalid_value') {
    return { message: `Invalid ${param}: must be one of ${issue.values.join(', ')}`, param }
  }
  const refused = refusedField(issue)
  if (refused) {
    const [code, say] = FIELDS[refused.kind]
    return { code, message: say(refused.value), param }
  }
  if (issue.code === 'custom') return { message: issue.message, param }
  return { message: `Invalid ${param}: ${issue.message}`, param }
}

function valueAt(form: Form, path: readonly PropertyKey[]): FormValue | undefined {
  let value: FormValue | undefined = form
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)]
    else if (isForm(value)) value = value[String(part)]
    else return undefined
  }
  return value
}

/** Stripe's limits: 50 keys, 40 characters a key, 500 a value. An empty value unsets the key. */
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, 'You can have at most 50 keys')
