/** Fields of an error response besides `error` and `message`, such as `hasActivePurchase` or `available`. */
export type ErrorDetails = Readonly<Record<string, unknown>>

interface PaywallErrorFields {
  status: number
  code: string
  message: string
  requestId?: string | null
  retryAfter?: number | null
  details?: ErrorDetails
}

/**
 * A failed call. Check its `code`: the `error` of the API's response; `invalid_response` if the response did not come from the API; or,
 * with `status` 0, the reason why there is no response, such as `network_error`, `timeout` or `aborted`.
 */
export class PaywallError extends Error {
  override readonly name = 'PaywallError'
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** The response's `error`: a code such as `insufficient`, or at some endpoints a sentence such as `Invalid quantity`. */
  readonly code: string
  /** The response's `X-Request-Id`. Quote it when you contact support. */
  readonly requestId: string | null
  /** How many seconds to wait before a retry; null if the response has no `Retry-After`, or a malformed one. */
  readonly retryAfter: number | null
  /** The response's other fields, such as `available` with `insufficient`. */
  readonly details: ErrorDetails

  constructor(
    { status, code, message, requestId = null, retryAfter = null, details = {} }: PaywallErrorFields,
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

const MESSAGES = {
  aborted: 'The call was aborted.',
  timeout: 'The call timed out.',
  network_error: 'The service could not be reached, or the connection was lost.',
  not_sent: 'The request could not be sent.',
  invalid_url: 'The URL of the service is invalid.',
}

/** The error of a call without a response. */
export const noResponseError = (code: keyof typeof MESSAGES, cause?: unknown) =>
  new PaywallError({ status: 0, code, message: MESSAGES[code] }, { cause })

/** Converts an error response and its parsed body. A response without `error` comes from a proxy and not from the API. */
export function toError(response: Response, body: unknown): PaywallError {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { error, message, ...details } = fields
  const [code, defaultMessage] =
    typeof error === 'string' ? [error, error] : ['invalid_response', 'The response did not come from the API.']
  return new PaywallError({
    status: response.status,
    code,
    message: typeof message === 'string' ? message : defaultMessage,
    requestId: response.headers.get('x-request-id'),
    retryAfter: parseRetryAfter(response),
    details,
  })
}

/** Parses `Retry-After`, a number or a date, to whole seconds from now; null if it is missing or malformed. */
export function parseRetryAfter({ headers }: Response): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const at = / GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
