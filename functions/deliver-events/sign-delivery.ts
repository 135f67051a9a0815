import { unseal } from '../../lib/crypto/seal.ts'
import { log } from '../../lib/log/log.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { signWebhook } from './standard-webhooks.ts'

/**
 * The headers that prove a delivery to be ours; null if its webhook endpoint's secret does not open with our keys. While the
 * owner rotates that secret, the one before it signs, too. If only that does not open, the event goes out without its
 * signature: whoever knows the new secret can verify it.
 */
export async function signDelivery(
  { event_id: id, endpoint_id, url, body, secret, previous_secret }: LeasedDelivery,
  secretsKey: string,
): Promise<Record<string, string> | null> {
  const open = (sealed: string) => unseal(sealed, secretsKey, `webhook:${url}`)
  try {
    const secrets = [await open(secret)]
    if (previous_secret !== null) {
      const previous = await open(previous_secret).catch((cause) => {
        log('error', 'a previous webhook secret cannot be opened', { endpoint_id, cause })
      })
      if (previous) secrets.push(previous)
    }
    return await signWebhook({ id, timestamp: new Date(), body }, secrets)
  } catch (cause) {
    log('error', 'a webhook secret cannot be opened', { endpoint_id, cause })
    return null
  }
}
