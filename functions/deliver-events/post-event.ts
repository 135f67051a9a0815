import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { type AttemptResult, readRetryAfter } from './attempt-result.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { readBeginning } from './read-beginning.ts'
import { signDelivery } from './sign-delivery.ts'

/** Standard Webhooks recommends 15 to 30 s; the lease in lease-deliveries.sql must be longer. */
const TIMEOUT_SECONDS = 15

/** Statuses whose `Retry-After` delays the next attempt. */
const PAUSES = [429, 503]

export interface PostOptions {
  /** Decrypts the secrets of webhook endpoints: lib/crypto/seal.ts. */
  secretsKey: string
  /** Whether webhook endpoints of test paywalls may be on localhost. */
  allowLocal: boolean
  /** The gateway's host, if known: events are never sent there. */
  serviceHost: string
}

/**
 * Sends one event to one webhook endpoint. Returns the attempt's result; null if the event could not be signed, so that nothing was sent.
 * Never throws: every error counts as a failed attempt.
 */
export async function postEvent(delivery: LeasedDelivery, options: PostOptions): Promise<AttemptResult | null> {
  const allowLocal = options.allowLocal && delivery.is_test
  const ownHosts = [options.serviceHost, delivery.own_domain]
  const problem = publicUrlProblem(delivery.url, { allowLocal, ownHosts })
  if (problem !== null) return failure(`address refused: ${problem}`)

  const signature = await signDelivery(delivery, options.secretsKey)
  if (signature === null) return null
  const headers = { ...signature, 'content-type': 'application/json', 'user-agent': 'paywall-billing-webhooks/1' }
  let response: Response
  try {
    response = await fetch(delivery.url, {
      method: 'POST',
      headers,
      body: delivery.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    })
  } catch (error) {
    const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
    return failure(timedOut ? `no response within ${TIMEOUT_SECONDS} s` : 'connection failed')
  }
  return toAttemptResult(response)
}

async function toAttemptResult({ ok, status, headers, body }: Response): Promise<AttemptResult> {
  return {
    status,
    error: ok ? null : `answered ${status}`,
    retryAfterSeconds: PAUSES.includes(status) ? readRetryAfter(headers.get('retry-after'), new Date()) : null,
    response: await readBeginning(body), // the status decides, even if the connection breaks now
  }
}

const failure = (error: string): AttemptResult => ({
  status: null,
  error: error.slice(0, 500),
  retryAfterSeconds: null,
  response: null,
})
