import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The members an error body may carry beside `error`. A new member is an API change. */
export type Detail =
  | { message: string }
  | { hasActivePurchase: true } // start-checkout 409
  | { isTest: '0' | '1' } // get-customer-portal 403
  | { available: number; requested?: number } // balances, withdraw-tokens 400

/** A refusal the caller is meant to read (contract section 7). Anything else that is thrown is our bug: a 500. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: ContentfulStatusCode
  readonly error: string
  readonly detail: Detail | undefined
  /** Seconds after which a repeat may succeed; sent as `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(
    status: ContentfulStatusCode,
    error: string,
    options: { detail?: Detail; retryAfter?: number } & ErrorOptions = {},
  ) {
    super(error, options)
    this.status = status
    this.error = error
    this.detail = options.detail
    this.retryAfter = options.retryAfter
  }

  get body() {
    return { error: this.error, ...this.detail }
  }
}

/** An endpoint's own status and `error` for each refusal it can meet. Complete by type. */
export type Words<Refusal extends string = string> = Record<Refusal, [status: ContentfulStatusCode, error: string]>

/** Words with a `{name}` in them, when it is known what to say there. */
export function fill([status, error]: Words[string], text: string): Words[string] {
  return [status, error.replace(/\{\w+\}/, () => text)]
}

/** The error that an endpoint's words make of a refusal. */
export function refuse([status, error]: Words[string], detail?: Detail): ApiError {
  return new ApiError(status, error, detail && { detail })
}
