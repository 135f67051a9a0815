import { unseal } from '../../lib/crypto/seal.ts'
import { webhookContext } from '../../lib/events/webhook-secret.ts'
import { log } from '../../lib/log/log.ts'
import type { LeasedDelivery } from './leased-delivery.ts'
import { signWebhook } from './standard-webhooks.ts'

/**
 * The signature headers of a delivery; null if no key decrypts its webhook endpoint's secret. During a rotation the previous secret signs,
 * too. If only the previous one cannot be decrypted, the event is sent without its signature: a receiver that knows the new secret can
 * verify it.
 */
export async function signDelivery(
  { event_id: id, endpoint_id, url, body, secret, previous_secret }: LeasedDelivery,
  secretsKey: string,
): Promise<Record<string, string> | null> {
  const open = (sealed: string) => unseal(sealed, secretsKey, webhookContext(url))
  try {
    const secrets = [await open(secret)]
    if (previous_secret !== null) {
      const previous = await open(previous_secret).catch((cause) => {
        log('error', 'previous webhook secret cannot be decrypted', { endpoint_id, cause })
      })
      if (previous) secrets.push(previous)
    }
    return await signWebhook({ id, timestamp: new Date(), body }, secrets)
  } catch (cause) {
    log('error', 'webhook secret cannot be decrypted', { endpoint_id, cause })
    return null
  }
}
