import { EmulatorError } from '../core/emulator-error.ts'

/**
 * An error in Stripe's shape. With `executed` false the endpoint did not run, so the error is stored under no
 * idempotency key.
 */
export class StripeError extends EmulatorError {
  override name = 'StripeError'
  readonly error: ErrorBody
  readonly executed: boolean

  constructor(status: number, error: ErrorBody, executed = true) {
    super(status, error.message)
    this.error = error
    this.executed = executed
  }
}

export interface ErrorBody {
  type: 'invalid_request_error' | 'idempotency_error' | 'api_error'
  code?: string
  message: string
  param?: string
}

/** A 400 for a mistake that is found while the endpoint runs. */
export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...detail })
}

/** An unknown object: 404 if the path named it, 400 if a parameter did. */
export function noSuch(kind: string, id: string, param?: string): StripeError {
  const detail = { code: 'resource_missing', message: `No such ${kind}: '${id}'`, param: param ?? 'id' }
  return new StripeError(param ? 400 : 404, { type: 'invalid_request_error', ...detail })
}
