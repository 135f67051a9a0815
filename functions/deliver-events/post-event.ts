import { unseal } from '../../lib/crypto/crypto.ts'
import { webhookUrlProblem } from '../../lib/events/webhook-url.ts'
import { log } from '../../lib/http/log.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { type Outcome, readRetryAfter } from './outcome.ts'
import { signWebhook } from './standard-webhooks.ts'

/** Standard Webhooks asks for 15 to 30 s; the lease in lease-deliveries.sql must be longer. */
const TIMEOUT_SECONDS = 15

/** Statuses whose `Retry-After` means "this webhook endpoint, later". */
const PAUSES = [429, 503]

export interface PostOptions {
  secretsKey: string
  /** Whether webhook endpoints of test paywalls may be on this machine. */
  allowLocal: boolean
  /** The gateway's host, where it is known: no event is sent there. */
  serviceHost: string
}

/** Sends one event to one webhook endpoint and says how that ended. Never throws: whatever goes wrong is a failed attempt. */
export async function postEvent(delivery: LeasedDelivery, options: PostOptions): Promise<Outcome> {
  const allowLocal = options.allowLocal && delivery.is_test
  const ownHosts = [options.serviceHost, delivery.own_domain]
  const problem = webhookUrlProblem(delivery.url, { allowLocal, ownHosts })
  if (problem !== null) return failure(`address refused: ${problem}`)

  const headers = await signedHeaders(delivery, options.secretsKey)
  if (headers === null) return failure('the signing secret cannot be opened')

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
    return failure(timedOut ? `no answer within ${TIMEOUT_SECONDS} s` : 'connection failed')
  }
  await response.body?.cancel().catch(() => undefined) // the status has said it all, even if the connection breaks now
  return outcomeOf(response)
}

function outcomeOf({ ok, status, headers }: Response): Outcome {
  return {
    status,
    error: ok ? null : `answered ${status}`,
    retryAfterSeconds: PAUSES.includes(status) ? readRetryAfter(headers.get('retry-after'), new Date()) : null,
  }
}

/** Null if a secret does not open with our key: only we can mend that, and a retry may find it mended. */
async function signedHeaders(delivery: LeasedDelivery, secretsKey: string): Promise<Record<string, string> | null> {
  const { event_id: id, url, body } = delivery
  const sealed = [delivery.secret, delivery.previous_secret].filter((secret) => secret !== null)
  try {
    const secrets = await Promise.all(sealed.map((secret) => unseal(secret, secretsKey, `webhook:${url}`)))
    const signature = await signWebhook({ id, timestamp: new Date(), body }, secrets)
    return { ...signature, 'content-type': 'application/json', 'user-agent': 'paywall-billing-webhooks/1' }
  } catch (cause) {
    log('error', 'a webhook secret cannot be opened', { endpoint_id: delivery.endpoint_id, cause })
    return null
  }
}

const failure = (error: string): Outcome => ({ status: null, error: error.slice(0, 500), retryAfterSeconds: null })
