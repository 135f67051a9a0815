import { base64url } from 'jose'

/** How long a mailed code holds, in minutes. */
export const CODE_MINUTES = 10
/** How often a code may be tried, right or wrong. With the next limit: 25 guesses an hour at one in a million. */
export const CODE_TRIES = 5
/** How many codes an address gets within an hour on one paywall. */
export const CODES_AN_HOUR = 5

const DIGITS = 6
const COUNT = 10 ** DIGITS
/** The largest multiple of COUNT that 32 bits hold: a number from there on would favour the low codes. */
const FAIR = Math.floor(2 ** 32 / COUNT) * COUNT

/** Six decimal digits; all codes are equally likely. */
export function newCode(): string {
  for (;;) {
    const [number = FAIR] = crypto.getRandomValues(new Uint32Array(1))
    if (number < FAIR) return String(number % COUNT).padStart(DIGITS, '0')
  }
}

/**
 * What is stored of a code: 64 hex digits that also depend on whom it is for. A million codes are soon tried, so they
 * are hashed with a secret that is not in the database: `key`, 32 bytes in base64url.
 */
export async function hashCode(code: string, paywallId: string, email: string, key: string): Promise<string> {
  const secret = await crypto.subtle.importKey(
    'raw',
    base64url.decode(key).slice(),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const text = new TextEncoder().encode(JSON.stringify([paywallId, email, code]))
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', secret, text))
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
