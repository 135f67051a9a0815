import * as z from 'zod'
import { text } from '../core/wire/form-fields.ts'

/** A list with one element, as `name[0]` in a form. */
export const one = <Element extends z.ZodType>(element: Element) =>
  z.array(element).length(1, 'the emulator sells one item price at a time')

/** An address that the browser is sent to. */
export const redirectUrl = text(250).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'invalid URL')
