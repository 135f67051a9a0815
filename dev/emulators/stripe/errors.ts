import type { Table } from '../core/domain/records.ts'
import { type EmulatorError, Refusal } from '../core/wire/emulator-error.ts'
import ERRORS from './errors.json' with { type: 'json' }

/** `executed` is false for what is found before the endpoint runs. */
interface Known {
  status?: number
  executed?: boolean
  type?: string
  code?: string
  param?: string
  message: string
}

/** An error in Stripe's shape: `errors.json` has them by our names. The values go into its message; `param`, too, into the error. */
export function refused(name: keyof typeof ERRORS, values: Record<string, string | number> = {}): Refusal {
  const { status = 400, executed, message: template, ...detail }: Known = ERRORS[name]
  const message = template.replaceAll(/\{(\w+)\}/g, (_, field) => String(values[field]))
  const { param = detail.param } = values
  const error = { type: 'invalid_request_error', ...detail, message, ...(param !== undefined && { param }) }
  return new Refusal(status, message, { error }, executed)
}

/** The body of an error that is not Stripe's own. */
export const errorBody = ({ message }: EmulatorError) => ({ error: { type: 'api_error', message } })

/** Stripe's names for what the tables have. */
const KINDS: Partial<Record<Table | 'prices' | 'charges', string>> = {
  pages: 'checkout.session',
  payments: 'payment_intent',
}

/** An unknown object: 404 if the path named it, 400 if a parameter did. */
export function noSuch(table: Table | 'prices' | 'charges', id: string, param?: string): Refusal {
  const missing = { kind: KINDS[table] ?? table.slice(0, -1), id }
  return param ? refused('parameter_names_nothing', { ...missing, param }) : refused('no_such_object', missing)
}
