import { base64url } from 'jose'

const encoder = new TextEncoder()
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** SHA-256 of a text's UTF-8 bytes, as 64 hex digits. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))))
}

/** Random bytes as hex digits. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** Whether a text is the HMAC-SHA-256 of something, in hexadecimal digits. */
export const isSignature = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

/** Whether `signature`, in hex, is the HMAC-SHA256 of the text with this secret. Compared in constant time. */
export async function isSignedWith(secret: string, text: string, signature: string): Promise<boolean> {
  if (!isSignature(signature)) return false
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['verify'])
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return crypto.subtle.verify('HMAC', key, bytes, encoder.encode(text))
}

/**
 * Encrypts a secret for storage: AES-256-GCM, base64url of a random 12-byte nonce and the ciphertext.
 * `context` says what the secret belongs to and is authenticated, so a ciphertext moved to another row does not open.
 */
export async function seal(secret: string, key: string, context: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(gcm(iv, context), await aesKey(key), encoder.encode(secret))
  const bytes = new Uint8Array(iv.length + sealed.byteLength)
  bytes.set(iv)
  bytes.set(new Uint8Array(sealed), iv.length)
  return base64url.encode(bytes)
}

/** Decrypts what `seal` made with the same key and context; throws on any other. */
export async function unseal(sealed: string, key: string, context: string): Promise<string> {
  const bytes = base64url.decode(sealed)
  const opened = await crypto.subtle.decrypt(gcm(bytes.slice(0, 12), context), await aesKey(key), bytes.slice(12))
  return new TextDecoder().decode(opened)
}

const gcm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(context),
})

/** `key` is 32 bytes in base64url: a Worker secret. */
function aesKey(key: string) {
  return crypto.subtle.importKey('raw', base64url.decode(key).slice(), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += HEX[byte]
  return digits
}
