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
 * Why a call was not done. Its `code` can be compared: it is what the API's document names in `error`; or `invalid_response`, if what
 * answered was not the API; or, with `status` 0, what kept the call from an answer, such as `network_error`, `timeout` or `aborted`.
 */
export class PaywallError extends Error {
  override readonly name = 'PaywallError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  /** What went wrong, by a name or a fixed sentence. */
  readonly code: string
  /** The answer's `X-Request-Id`: quote it when you ask for help. */
  readonly requestId: string | null
  /** How many seconds to wait before another try; null if the API names no time. */
  readonly retryAfter: number | null
  /** What else the answer says, such as `available` of `insufficient`; empty if it says nothing else. */
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

const SENTENCES = {
  aborted: 'The call was aborted.',
  timeout: 'No answer came in time.',
  network_error: 'The service was not reached, or the connection broke.',
  not_sent: 'The call could not be made of what was given.',
  invalid_url: 'The origin of the service is no URL.',
}

/** The error of a call that got no answer. */
export const noAnswer = (code: keyof typeof SENTENCES, cause?: unknown) =>
  new PaywallError({ status: 0, code, message: SENTENCES[code] }, { cause })

/** The error that an answer tells, whose body has been read. One that names none is not the API's, but that of a proxy. */
export function toError(response: Response, body: unknown): PaywallError {
  const said: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { error, message, ...details } = said
  const [code, sentence] =
    typeof error === 'string' ? [error, error] : ['invalid_response', 'What answered is not the API.']
  return new PaywallError({
    status: response.status,
    code,
    message: typeof message === 'string' ? message : sentence,
    requestId: response.headers.get('x-request-id'),
    retryAfter: parseSeconds(response),
    details,
  })
}

/** The `Retry-After` of an answer, a number or a date, in whole seconds from now; null if it has none. */
export function parseSeconds({ headers }: Response): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const at = / GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
