import type { HonoRequest } from 'hono'
import { hashOf } from '../crypto/canonical.ts'
import { parseIdempotencyKey } from './parse.ts'

/** What makes a request take effect once: the caller's Idempotency-Key, and a hash of the request. */
export interface Once {
  key: string
  hash: string
}

/** Reads it from a request; null if it has no key. `asked` is all that tells one request from another. */
export async function readOnce(request: HonoRequest, asked: object): Promise<Once | null> {
  const key = parseIdempotencyKey(request)
  return key === null ? null : { key, hash: await hashOf(asked) }
}
