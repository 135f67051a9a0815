const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds to wait after the first, second, … failed attempt. After the last of them a failure is final. */
const RETRY_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** Spreads retries, so that webhook endpoints that fell over together are not called together: a tenth either way. */
const JITTER = 0.1

/** A webhook endpoint may ask for a pause, but not for ever. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR

/** How an attempt ended: `status` is null without a response, `retryAfterSeconds` if no pause was asked for. */
export interface AttemptResult {
  status: number | null
  /** Null if the webhook endpoint took the event. */
  error: string | null
  retryAfterSeconds: number | null
}

/** What an outcome makes of its delivery. A pending one is tried again in `retryInSeconds`. */
export interface Decision {
  state: 'pending' | 'delivered' | 'failed'
  retryInSeconds: number
  /** Whether the webhook endpoint is gone, so that nothing is sent there until its owner enables it again. */
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

/** Reads a `Retry-After` of seconds or an HTTP date; null if there is none or it says neither. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const seconds = Math.ceil((Date.parse(header) - now.getTime()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
