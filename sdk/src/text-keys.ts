import { Webhook } from 'standardwebhooks'

/**
 * HMAC-SHA256 with a public key. `standardwebhooks` has one in plain JavaScript: Node 18 has no global Web Crypto, and a text must map to
 * the same key in every runtime.
 */
const HASH = new Webhook(btoa('Idempotency-Key'))

/**
 * Converts any text, such as a job's id, to an Idempotency-Key, because the API requires a UUID. The same text always gives the same key,
 * a version 8 UUID made from its hash. A UUID stays as it is.
 */
export function toKey(text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text
  const [, hash = ''] = HASH.sign(text, new Date(0), '').split(',')
  const hex = Array.from(atob(hash), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
