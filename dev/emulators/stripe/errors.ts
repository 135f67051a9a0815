import type { Named } from '../core/domain/context.ts'
import { type EmulatorError, Refusal } from '../core/wire/emulator-error.ts'
import { parameterName } from '../core/wire/form.ts'
import type { Mistake } from '../core/wire/parse.ts'
import ERRORS from './errors.json' with { type: 'json' }

/** An error of `errors.json`. `executed` is false for errors found before the endpoint runs. */
interface Known {
  status?: number
  executed?: boolean
  message: string
  param?: string
}

/**
 * Creates one of Stripe's errors. `{id}` in its message is replaced by the value with that name. `param`, the wrong parameter, comes from the
 * values or else from the file.
 */
export function refused(name: keyof typeof ERRORS, values: Record<string, string | number> = {}): Refusal {
  const { status = 400, executed, message: template, ...detail }: Known = ERRORS[name]
  const message = template.replaceAll(/\{(\w+)\}/g, (_, field) => String(values[field]))
  const { param = detail.param } = values
  const error = { type: 'invalid_request_error', ...detail, message, ...(param !== undefined && { param }) }
  return new Refusal(status, message, { error }, executed)
}

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
