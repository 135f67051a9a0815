import { base64url } from 'jose'

/** HMAC-SHA256 of a list of texts, 32 bytes. `key`: 32 bytes in base64url. */
export async function keyedHash(texts: string[], key: string): Promise<Uint8Array> {
  const secret = await crypto.subtle.importKey(
    'raw',
    base64url.decode(key).slice(),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const message = new TextEncoder().encode(JSON.stringify(texts))
  return new Uint8Array(await crypto.subtle.sign('HMAC', secret, message))
}
