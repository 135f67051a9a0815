import canonicalize from 'canonicalize'
import { sha256Hex } from './crypto.ts'

/** SHA-256, in hex, of a JSON value's canonical text (RFC 8785): the order of an object's fields does not matter. */
export function canonicalHash(value: object): Promise<string> {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not a JSON value')
  return sha256Hex(text)
}
