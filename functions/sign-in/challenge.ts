import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { keyedHash } from './keyed-hash.ts'

/** How long a code may be used, in minutes. */
export const CODE_MINUTES = 10
/** How often a code may be guessed, right or wrong. */
export const MOST_GUESSES = 5

const DIGITS = 8
const COUNT = 10 ** DIGITS
/** The largest multiple of COUNT that 32 bits hold: a number from there on would favour the low codes. */
const FAIR = Math.floor(2 ** 32 / COUNT) * COUNT

/** Eight decimal digits; all codes are equally likely. */
export function newCode(): string {
  for (;;) {
    const [number = FAIR] = crypto.getRandomValues(new Uint32Array(1))
    if (number < FAIR) return String(number % COUNT).padStart(DIGITS, '0')
  }
}

/** What the caller who asks for a code holds: 32 random bytes. The code is worth nothing without it. */
export function newChallenge(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/**
 * What is stored of a challenge and its code, 64 hex digits each. All codes are soon tried, so a code is hashed with a secret that is
 * not in the database: `key`, 32 bytes in base64url. The hash also depends on whom the code is for.
 */
export async function hashCode(
  { paywallId, email, challenge, code }: { paywallId: string; email: string; challenge: string; code: string },
  key: string,
): Promise<{ challengeHash: string; codeHash: string }> {
  const bytes = await keyedHash([paywallId, email, challenge, code], key)
  const codeHash = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { challengeHash: await sha256Hex(challenge), codeHash }
}
