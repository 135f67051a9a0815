import { Webhook } from 'standardwebhooks'

/**
 * Hashes by HMAC-SHA256 under a key that everybody may know: webhooks bring one in plain JavaScript, while Node 18 has no Web Crypto, and
 * a text must stand for the same key in every runtime.
 */
const HASH = new Webhook(btoa('Idempotency-Key'))

/**
 * The Idempotency-Key that any text stands for, such as the id of a job: the API takes UUIDs. The same text always gives the same
 * one (a UUID of version 8, made of the text's hash); one that is a UUID stays as it is.
 */
export function toKey(text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text
  const [, hash = ''] = HASH.sign(text, new Date(0), '').split(',')
  const hex = Array.from(atob(hash), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
