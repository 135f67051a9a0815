import * as z from 'zod'
import { newEmail } from '../../lib/http/user-fields.ts'

const email = z
  .unknown()
  .refine((text) => text, 'Email is required')
  .pipe(z.string('Invalid email format').pipe(newEmail))

/** The same with a description. It is `unknown` only so that a missing address gets an error of its own. */
export const emailFor = (description: string) =>
  email.meta({ type: 'string', format: 'email', maxLength: 254, description })
