import * as z from 'zod'
import { type Form, parameterName } from '../core/wire/form.ts'
import { text } from '../core/wire/form-fields.ts'
import { firstIssue } from '../core/wire/issues.ts'
import { wrongValue } from './errors.ts'

/** Parses a form or a query. Throws Chargebee's 400 for the first mistake; unknown parameters come before all others. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form)
  if (result.success) return result.data
  const issue = firstIssue(result.error)
  if (!issue) throw wrongValue('request', 'invalid')
  if (issue.code === 'unrecognized_keys') {
    throw wrongValue(parameterName([...issue.path, ...issue.keys.slice(0, 1)]), 'unknown parameter')
  }
  throw wrongValue(parameterName(issue.path), issue.message)
}

export const Nothing = z.strictObject({})

/** A list with one element, as `name[0]` in a form. */
export const one = <Element extends z.ZodType>(element: Element) =>
  z.array(element).length(1, 'the emulator sells one item price at a time')

/** An address that the browser is sent to. */
export const redirectUrl = text(250).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'invalid URL')
