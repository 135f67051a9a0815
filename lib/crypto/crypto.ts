const encoder = new TextEncoder()
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** SHA-256 of a text's UTF-8 bytes, as 64 hex digits. */
export function sha256Hex(text: string): Promise<string> {
  return sha256(encoder.encode(text))
}

/** SHA-256 of bytes, as 64 hex digits. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.slice())))
}

/** Random bytes as hex digits. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** Whether a text has the form of an HMAC-SHA-256 in hexadecimal. */
export const isSignature = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

/** Whether `signature`, in hex, is the HMAC-SHA256 of the text with this secret. Compared in constant time. */
export async function isSignedWith(secret: string, text: string, signature: string): Promise<boolean> {
  if (!isSignature(signature)) return false
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['verify'])
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return crypto.subtle.verify('HMAC', key, bytes, encoder.encode(text))
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += HEX[byte]
  return digits
}
