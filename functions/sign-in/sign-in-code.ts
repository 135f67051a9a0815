import { base64url } from 'jose'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { keyedHash } from './keyed-hash.ts'

/** How long a mailed code holds, in minutes. */
export const CODE_MINUTES = 10
/** How often a code may be tried, right or wrong. */
export const CODE_TRIES = 5

/** How long a long code holds, in minutes: twice as long as its address gets no other. */
export const LONG_CODE_MINUTES = 20
/** The same of those that an address gets when it has got many in a day. */
export const LASTING_CODE_MINUTES = 12 * 60
/** Of how many short ones a long code is made: nobody guesses 18 digits. */
const PARTS = 3

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

/** Eighteen decimal digits in groups of six. */
export const newLongCode = () => Array.from({ length: PARTS }, newCode).join(' ')

/** The code that a user has typed, without what is between the groups of a long one. */
export const digitsOf = (typed: string) => typed.replace(/[\s-]/g, '')

export const isLongCode = (code: string) => digitsOf(code).length === PARTS * DIGITS

/** The nonce of a call that asks for a code: 32 random bytes. Only its caller gets it, and the code is worth nothing without it. */
export function newRequest(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/** A code, whom it is for, and the nonce of the call that asked for it, which is nothing to a long code. */
interface MailedCode {
  paywallId: string
  email: string
  request: string
  code: string
}

/**
 * What is stored of a code and its nonce, 64 hex digits each; of a long code twice the same, by which it is found. A million codes are soon tried, so a code is hashed with a
 * secret that is not in the database: `key`, 32 bytes in base64url. The hash also depends on whom the code is for.
 */
export async function hashesOf(mailed: MailedCode, key: string): Promise<{ requestHash: string; codeHash: string }> {
  const { paywallId, email, request, code } = mailed
  if (isLongCode(code)) {
    const hash = hexOf(await keyedHash(['long code', paywallId, email, digitsOf(code)], key))
    return { requestHash: hash, codeHash: hash }
  }
  const codeHash = hexOf(await keyedHash([paywallId, email, request, code], key))
  return { requestHash: await sha256Hex(request), codeHash }
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
