import { base64url } from 'jose'
import { sha256Hex } from '../crypto/crypto.ts'
import { keyedHash } from '../crypto/keyed-hash.ts'

/** Lifetime of a code, in minutes. */
export const CODE_MINUTES = 10
/** Maximum number of guesses per challenge. */
export const MAX_GUESSES = 5

const DIGITS = 8
const COUNT = 10 ** DIGITS
/** The largest multiple of COUNT in 32 bits. Numbers from there on are discarded: they would favour low codes. */
const FAIR = Math.floor(2 ** 32 / COUNT) * COUNT

/** Eight decimal digits; all codes are equally likely. */
export function newCode(): string {
  for (;;) {
    const [number = FAIR] = crypto.getRandomValues(new Uint32Array(1))
    if (number < FAIR) return String(number % COUNT).padStart(DIGITS, '0')
  }
}

/** 32 random bytes that only the caller who requests a code gets. The code does not work without them. */
export function newChallenge(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/**
 * The hashes that are stored of a challenge and its code, 64 hex digits each. There are few enough codes to try them all, so a code is
 * hashed with a secret that is not in the database: `key`, 32 bytes in base64url. The hash also covers the address and `scope`, which is the
 * paywall's id.
 */
export async function hashCode(
  { scope, email, challenge, code }: { scope: string; email: string; challenge: string; code: string },
  key: string,
): Promise<{ challengeHash: string; codeHash: string }> {
  const bytes = await keyedHash([scope, email, challenge, code], key)
  const codeHash = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { challengeHash: await sha256Hex(challenge), codeHash }
}
