import * as z from 'zod'
import { parameterName } from '../core/wire/form.ts'
import type { Mistake } from '../core/wire/parse.ts'
import { refused } from './errors.ts'

/** Stripe's 400 for the first mistake in a form; unknown parameters come before all others. */
export function mistake({ path, problem, field, message, code }: Mistake) {
  const param = parameterName(path)
  if (problem !== 'invalid') return refused(`parameter_${problem}`, { param })
  if (field) return refused(`${field.kind}_field`, { value: field.value, param })
  return refused('parameter_invalid', { message: code === 'custom' ? message : `Invalid ${param}: ${message}`, param })
}

/** Stripe's limits: 50 keys, 40 characters a key, 500 a value. An empty value unsets the key. */
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, 'You can have at most 50 keys')
