import type { Table } from '../core/domain/records.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'

/** An error in Stripe's shape. */
export class StripeError extends EmulatorError {
  override name = 'StripeError'
  readonly error: ErrorBody

  constructor(status: number, error: ErrorBody, executed = true) {
    super(status, error.message, executed)
    this.error = error
  }
}

interface ErrorBody {
  type: 'invalid_request_error' | 'idempotency_error'
  code?: string
  message: string
  param?: string
}

/** A 400 for a mistake that is found while the endpoint runs. */
export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...detail })
}

/** An error that is found before the endpoint runs. */
export const notRun = (status: number, message: string, detail: { code?: string; param?: string } = {}) =>
  new StripeError(status, { type: 'invalid_request_error', message, ...detail }, false)

export const errorBody = (error: EmulatorError) => ({
  error: error instanceof StripeError ? error.error : { type: 'api_error', message: error.message },
})

/** Stripe's names for what the tables have. */
const KINDS: Partial<Record<Table | 'prices' | 'charges', string>> = {
  pages: 'checkout.session',
  payments: 'payment_intent',
}

/** An unknown object: 404 if the path named it, 400 if a parameter did. */
export function noSuch(table: Table | 'prices' | 'charges', id: string, param?: string): StripeError {
  const message = `No such ${KINDS[table] ?? table.slice(0, -1)}: '${id}'`
  const detail = { code: 'resource_missing', message, param: param ?? 'id' }
  return new StripeError(param ? 400 : 404, { type: 'invalid_request_error', ...detail })
}
