const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds to wait after the first, second, … failed attempt. After the last of them a failure is final. */
const RETRY_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** Spreads retries, so that endpoints that fell over together are not called together: a tenth either way. */
const JITTER = 0.1

/** An endpoint may ask for patience, but not for ever. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR

/** What an endpoint said: `status` is null if it gave none, `retryAfterSeconds` null if it asked for no pause. */
export interface Answer {
  status: number | null
  error: string | null
  retryAfterSeconds: number | null
}

/** What an answer makes of its delivery. A pending one is tried again in `retryInSeconds`. */
export interface Settlement {
  state: 'pending' | 'delivered' | 'failed'
  retryInSeconds: number
  disableEndpoint: boolean
  status: number | null
  error: string | null
}

/** Decides after the `attempts`-th attempt; `random` is a number from 0 to 1. */
export function settle(answer: Answer, attempts: number, random: number): Settlement {
  const { status, error } = answer
  const settled = { status, error, retryInSeconds: 0, disableEndpoint: false }
  if (status !== null && status >= 200 && status < 300) return { ...settled, state: 'delivered' }
  if (status === 410) return { ...settled, state: 'pending', disableEndpoint: true }

  const delay = RETRY_SECONDS[attempts - 1]
  if (delay === undefined) return { ...settled, state: 'failed' }
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const asked = Math.min(answer.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS)
  return { ...settled, state: 'pending', retryInSeconds: Math.max(jittered, asked) }
}

/** Reads a `Retry-After` of seconds or an HTTP date; null if there is none or it says neither. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const seconds = Math.ceil((Date.parse(header) - now.getTime()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
