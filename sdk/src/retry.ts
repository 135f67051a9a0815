import { PaywallError, parseSeconds } from './error.ts'
import { type SendOnceOptions, sendOnce } from './send-once.ts'

/** How many times a call is tried again. */
const RETRIES = 2
/** The pause before the first retry, in milliseconds, if the API names no time; before each further one it is twice as long. */
const PAUSE_MS = 250
/** A longer `Retry-After` is the caller's to wait for, in seconds. */
const LONGEST_WAIT = 10

export interface SendOptions extends SendOnceOptions {
  /** Set where repeating is harmless, and the request does not show it. */
  isIdempotent?: boolean
}

/**
 * Sends a request, and sends it again where that is harmless: it reads, has an Idempotency-Key, or may be repeated, which is what
 * `Retry-After` says of a 429 or 503. The last answer is given, whatever it is.
 *
 * @throws PaywallError network_error, timeout, aborted
 */
export async function send(request: Request, options: SendOptions): Promise<Response> {
  const isIdempotent = options.isIdempotent || request.method === 'GET' || request.headers.has('idempotency-key')
  for (let retries = 0; ; retries++) {
    const isLast = retries === RETRIES
    try {
      const response = await sendOnce(isLast ? request : request.clone(), options)
      const pause = isLast ? null : pauseAfter(response, isIdempotent, retries)
      if (pause === null) return response
      await sleep(pause, options.signal)
    } catch (error) {
      const isLost = error instanceof PaywallError && error.code !== 'aborted'
      if (isLast || !isIdempotent || !isLost) throw error
      await sleep(backoff(retries), options.signal)
    }
  }
}

/** How long to wait before the request is sent again, in milliseconds; null: it is not. */
function pauseAfter(response: Response, isIdempotent: boolean, retries: number): number | null {
  const { status } = response
  const wait = parseSeconds(response)
  const mayRepeat = (status === 429 || status === 503) && wait !== null
  if (!mayRepeat && !(isIdempotent && status >= 502 && status <= 504)) return null
  if (wait !== null && wait > LONGEST_WAIT) return null
  return wait === null ? backoff(retries) : wait * 1000
}

/** Between half of the pause and all of it, so that many callers do not come back at the same moment. */
const backoff = (retries: number) => PAUSE_MS * 2 ** retries * (0.5 + Math.random() / 2)

/** Ends early when the call is aborted: the next attempt says so. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
