import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The fields of an error body beside `error`. A new one is a change of the API. */
type Detail =
  | { message: string }
  | { captcha: 'turnstile'; site_key: string } // sign-in/code 400, 429
  | { hasActivePurchase: true; purchaseId: string; status: string } // start-checkout 409
  | { isTest: '0' | '1' } // get-customer-portal 403
  | { available: number; requested?: number } // balances, withdraw-tokens 400
  | { status: string } // change-plan 409
  | { acquiring: string } // change-plan 403, 409

/** The optional parts of an error besides its status and `error`. */
export interface Additions {
  detail?: Detail
  /** Seconds after which a retry may succeed; sent as `Retry-After`. */
  retryAfter?: number
}

/** An error that the caller is meant to read (contract section 7). Anything else that is thrown is a bug: a 500. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: ContentfulStatusCode
  readonly error: string
  /**
   * Its name in the log: the key in the endpoint's table of errors, or the code of the schema. Two refusals with the same status and
   * `error` have different names.
   */
  readonly refusal: string
  readonly detail: Detail | undefined
  readonly retryAfter: number | undefined

  constructor(status: ContentfulStatusCode, error: string, refusal: string, options: Additions & ErrorOptions = {}) {
    super(error, options)
    this.status = status
    this.error = error
    this.refusal = refusal
    this.detail = options.detail
    this.retryAfter = options.retryAfter
  }

  get body() {
    return { error: this.error, ...this.detail }
  }
}

/** An error of the API: its status, its `error`, and the refusal's name in the log. */
export type ErrorDefinition = readonly [status: ContentfulStatusCode, error: string, refusal: string]

/** An endpoint's error for each refusal. Complete by type: a refusal without an error does not compile. */
export type ErrorTable<Refusal extends string = string> = Record<Refusal, ErrorDefinition>

/** Creates a table of status and `error`: the name of each refusal is its key. */
export function defineErrors<Refusal extends string>(
  table: Record<Refusal, readonly [status: ContentfulStatusCode, error: string]>,
): ErrorTable<Refusal>
export function defineErrors(
  table: Record<string, readonly [status: ContentfulStatusCode, error: string]>,
): ErrorTable {
  return Object.fromEntries(
    Object.entries(table).map(([refusal, [status, error]]) => [refusal, [status, error, refusal]]),
  )
}

/** Fills in the `{name}` placeholder of an error. */
export function interpolate([status, error, refusal]: ErrorDefinition, text: string): ErrorDefinition {
  return [status, error.replace(/\{\w+\}/, () => text), refusal]
}

/** The `message` of refusals whose `error` alone would not be clear to the caller, by name. */
const MESSAGES: Record<string, Detail> = {
  test_key: { message: 'A test key cannot be used with a live paywall' },
  live_key: { message: 'A live key cannot be used with a test paywall' },
  foreign_success_url: {
    message: 'With a Bearer token, the origin of `successUrl` must be one that the paywall allows',
  },
  foreign_error_url: { message: 'With a Bearer token, the origin of `errorUrl` must be one that the paywall allows' },
}

/** Creates the error of a refusal. */
export function apiError([status, error, refusal]: ErrorDefinition, detail = MESSAGES[refusal]): ApiError {
  return new ApiError(status, error, refusal, detail && { detail })
}
