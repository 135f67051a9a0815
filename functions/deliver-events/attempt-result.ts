const MINUTE = 60
const HOUR = 60 * MINUTE

/** Backoff in seconds after the first, second, … failed attempt. When the list is exhausted, the delivery has failed for good. */
const RETRY_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** Random jitter of retries, ±10%: webhook endpoints that failed together are not retried together. */
const JITTER = 0.1

/** Upper limit of a webhook endpoint's `Retry-After`. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR

/** How an attempt ended: `status` is null without a response, `retryAfterSeconds` if no `Retry-After` was sent. */
export interface AttemptResult {
  status: number | null
  /** Null if the webhook endpoint accepted the event. */
  error: string | null
  retryAfterSeconds: number | null
  /** The beginning of the response's body; null without a response. */
  response: string | null
}

/** What follows from an attempt's result. A delivery that stays pending is retried in `retryInSeconds`. */
export interface Decision {
  state: 'pending' | 'delivered' | 'failed'
  retryInSeconds: number
  /** Whether the webhook endpoint is gone: nothing is sent there until its owner enables it again. */
  disable: boolean
}

/** Decides after the `attempts`-th attempt; `random` is a number from 0 to 1. */
export function decide({ status, retryAfterSeconds }: AttemptResult, attempts: number, random: number): Decision {
  const decision = { retryInSeconds: 0, disable: false }
  if (status !== null && status >= 200 && status < 300) return { ...decision, state: 'delivered' }
  if (status === 410) return { ...decision, state: 'pending', disable: true }

  const delay = RETRY_SECONDS[attempts - 1]
  if (delay === undefined) return { ...decision, state: 'failed' }
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const pause = Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS)
  return { ...decision, state: 'pending', retryInSeconds: Math.max(jittered, pause) }
}

/** Parses a `Retry-After` in seconds or as an HTTP date; null if it is missing or invalid. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const seconds = Math.ceil((Date.parse(header) - now.getTime()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
