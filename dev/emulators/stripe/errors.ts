import type { Named } from '../core/domain/context.ts'
import { catalogue } from '../core/wire/catalogue.ts'
import type { EmulatorError } from '../core/wire/emulator-error.ts'
import { parameterName } from '../core/wire/form.ts'
import type { Mistake } from '../core/wire/parse.ts'
import ERRORS from './errors.json' with { type: 'json' }

/** Creates one of Stripe's errors. */
export const refused = catalogue(ERRORS, (detail) => ({ error: { type: 'invalid_request_error', ...detail } }))

/** The body of other errors. */
export const errorBody = ({ message }: EmulatorError) => ({ error: { type: 'api_error', message } })

/** Stripe's names of records. */
const KINDS: Partial<Record<Named | 'subscription_schedules', string>> = {
  pages: 'checkout.session',
  payments: 'payment_intent',
  attempts: 'charge',
}

/** An unknown object: 404 in the path, 400 in a parameter. */
export function noSuch(table: Named | 'subscription_schedules', id: string, param?: string) {
  const missing = { kind: KINDS[table] ?? table.slice(0, -1), id }
  return param ? refused('parameter_names_nothing', { ...missing, param }) : refused('no_such_object', missing)
}

/** Stripe's 400 for the first mistake in a form; unknown parameters come before all others. */
export function mistake({ path, problem, field, message, code }: Mistake) {
  const param = parameterName(path)
  if (problem !== 'invalid') return refused(`parameter_${problem}`, { param })
  if (field) return refused(`${field.kind}_field`, { value: field.value, param })
  return refused('parameter_invalid', { message: code === 'custom' ? message : `Invalid ${param}: ${message}`, param })
}
