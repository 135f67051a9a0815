import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The fields of an error body beside `error`. A new one is a change of the API. */
export type Detail =
  | { message: string }
  | { captcha: 'turnstile'; site_key: string } // sign-in/code 400, 429
  | { message: string; reason: string } // start-checkout 400
  | { reason: string } // sign-in/token 400
  | { hasActivePurchase: true; purchaseId: string; status: string } // start-checkout 409
  | { isTest: '0' | '1' } // get-customer-portal 403
  | { available: number; requested?: number } // balances, withdraw-tokens 400
  | { status: string } // change-plan 409
  | { acquiring: string } // change-plan 403, 409
  | { oldest_cursor: string } // events 410

/** The optional parts of an error besides its status and `error`. */
export interface Additions {
  detail?: Detail
  /** Seconds after which a retry may succeed; sent as `Retry-After`. */
  retryAfter?: number
}

/** An error of the API: its status, its `error`, the refusal's name in the log, and the `message` that explains it to a developer. */
export type ErrorDefinition = readonly [
  status: ContentfulStatusCode,
  error: string,
  refusal: string,
  message: string | undefined,
]

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
  /** Of a refusal with several reasons, such as `invalid_offer`: which one. Also for the log, so never a caller's text. */
  readonly reason: string | undefined
  readonly retryAfter: number | undefined
  /** The JSON body. A `message` in `detail` is more exact than the refusal's. */
  readonly body: { error: string; message?: string }

  constructor([status, error, refusal, message]: ErrorDefinition, options: Additions & ErrorOptions = {}) {
    super(error, options)
    this.status = status
    this.error = error
    this.refusal = refusal
    this.reason = options.detail && 'reason' in options.detail ? options.detail.reason : undefined
    this.retryAfter = options.retryAfter
    this.body = { error, ...(message !== undefined && { message }), ...options.detail }
  }
}

/** An endpoint's error for each refusal. Complete by type: a refusal without an error does not compile. */
export type ErrorTable<Refusal extends string = string> = Record<Refusal, ErrorDefinition>

/** What `defineErrors` makes an `ErrorDefinition` of. */
type ErrorEntry = readonly [status: ContentfulStatusCode, error: string, message: string]

/** Creates a table of status, `error` and `message`: the name of each refusal is its key. */
export function defineErrors<Refusal extends string>(table: Record<Refusal, ErrorEntry>): ErrorTable<Refusal>
export function defineErrors(table: Record<string, ErrorEntry>): ErrorTable {
  return Object.fromEntries(
    Object.entries(table).map(([refusal, [status, error, message]]) => [refusal, [status, error, refusal, message]]),
  )
}

/** The same refusal with the status and `error` that an endpoint's contract gives it. */
export const withError = ([, , message]: ErrorEntry, status: ContentfulStatusCode, error: string): ErrorEntry => [
  status,
  error,
  message,
]

/** Fills in the `{name}` placeholder of an error. */
export function interpolate([status, error, ...others]: ErrorDefinition, text: string): ErrorDefinition {
  return [status, error.replace(/\{\w+\}/, () => text), ...others]
}

/** Creates the error of a refusal. */
export const apiError = (definition: ErrorDefinition, detail?: Detail): ApiError =>
  new ApiError(definition, detail && { detail })
