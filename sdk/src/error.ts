/** What the API answers besides the code and the sentence, such as `hasActivePurchase` or `available`. */
export type ErrorDetails = Readonly<Record<string, unknown>>

interface Facts {
  status: number
  code: string
  message: string
  requestId?: string | null
  retryAfter?: number | null
  details?: ErrorDetails
}

/**
 * Why a call was not done. Its `code` can be compared: what the API's document names in `error`, or, where no answer came,
 * `network_error`, `timeout`, `aborted` or `invalid_response`, with `status` 0.
 */
export class PaywallError extends Error {
  override readonly name = 'PaywallError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly code: string
  /** The answer's `X-Request-Id`: quote it when you ask for help. */
  readonly requestId: string | null
  /** How many seconds to wait before another try; null if the API names no time. */
  readonly retryAfter: number | null
  readonly details: ErrorDetails

  constructor(
    { status, code, message, requestId = null, retryAfter = null, details = {} }: Facts,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.details = details
  }
}

/** Whether a call failed with this code. */
export const hasCode = (error: unknown, code: string) => error instanceof PaywallError && error.code === code

/** The error that an answer tells, whose body has been read. */
export function errorOf(response: Response, body: unknown): PaywallError {
  const said: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { error, message, ...details } = said
  const code = typeof error === 'string' ? error : 'invalid_response'
  return new PaywallError({
    status: response.status,
    code,
    message: typeof message === 'string' ? message : code,
    requestId: response.headers.get('x-request-id'),
    retryAfter: secondsOf(response),
    details,
  })
}

/** The `Retry-After` of an answer, in seconds; null if it has none. */
export function secondsOf({ headers }: Response): number | null {
  const text = headers.get('retry-after')
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}
