import { PaywallError, parseRetryAfter } from './error.ts'
import { type SendOnceOptions, sendOnce } from './send-once.ts'

/** How often a call is retried. */
const RETRIES = 2
/** The pause before the first retry, in milliseconds, if there is no `Retry-After`. It doubles with each further retry. */
const PAUSE_MS = 250
/** A longer `Retry-After`, in seconds, is left to the caller. */
const MAX_WAIT_SECONDS = 10

export interface SendOptions extends SendOnceOptions {
  /** Set if the request is idempotent although its method and headers do not show it. */
  isIdempotent?: boolean
}

/**
 * Sends a request, with retries if that is safe: it is a GET, has an Idempotency-Key, or got a 429 or 503 with `Retry-After`, which means
 * that it had no effect. Returns the last response, whatever it is.
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

/** The pause before a retry, in milliseconds; null if the request is not retried. */
function pauseAfter(response: Response, isIdempotent: boolean, retries: number): number | null {
  const { status } = response
  const wait = parseRetryAfter(response)
  const mayRepeat = (status === 429 || status === 503) && wait !== null
  if (!mayRepeat && !(isIdempotent && status >= 502 && status <= 504)) return null
  if (wait !== null && wait > MAX_WAIT_SECONDS) return null
  return wait === null ? backoff(retries) : wait * 1000
}

/** Exponential backoff with jitter, between half of the pause and all of it. */
const backoff = (retries: number) => PAUSE_MS * 2 ** retries * (0.5 + Math.random() / 2)

/** Ends early if the call is aborted: the next attempt then throws. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
