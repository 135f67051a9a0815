const SECRET_PREFIX = 'whsec_'

/** The signed content: the event's id, which is the same for all attempts, the time of this attempt, and the exact bytes that are sent. */
export interface WebhookMessage {
  id: string
  timestamp: Date
  body: string
}

/**
 * The signature headers of the Standard Webhooks specification. Each secret is `whsec_` and base64; the header has one signature per
 * secret, so a receiver can verify with either during a rotation.
 */
export async function signWebhook(message: WebhookMessage, secrets: string[]): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(message.timestamp.getTime() / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await hmacBase64(secret, signed)}`))
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

async function hmacBase64(secret: string, text: string): Promise<string> {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_')
  const raw = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (char) => char.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(signature)))
}
