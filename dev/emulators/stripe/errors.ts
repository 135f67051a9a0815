import { Refusal } from '../core/refusal.ts'

/** An answer in Stripe's error shape. `executed` false: refused before the endpoint ran, so no idempotency key keeps it. */
export class StripeError extends Refusal {
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

/** 400, found while executing. */
export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...detail })
}

/** Stripe answers 404 where the address names the object, 400 where a parameter does. */
export function noSuch(kind: string, id: string, param?: string): StripeError {
  const detail = { code: 'resource_missing', message: `No such ${kind}: '${id}'`, param: param ?? 'id' }
  return new StripeError(param ? 400 : 404, { type: 'invalid_request_error', ...detail })
}
