import * as z from 'zod'
import { type Form, parameterName } from '../core/wire/form.ts'
import { text } from '../core/wire/form-fields.ts'
import { parseWith } from '../core/wire/parse.ts'
import { wrongValue } from './errors.ts'

/** Parses a form or a query. Throws Chargebee's 400 for the first mistake. */
export const parseParameters = <Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> =>
  parseWith(schema, form, ({ path, isUnknown, message }) =>
    wrongValue(parameterName(path), isUnknown ? 'unknown parameter' : message),
  )

/** A list with one element, as `name[0]` in a form. */
export const one = <Element extends z.ZodType>(element: Element) =>
  z.array(element).length(1, 'the emulator sells one item price at a time')

/** An address that the browser is sent to. */
export const redirectUrl = text(250).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'invalid URL')
