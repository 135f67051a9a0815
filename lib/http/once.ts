import type { HonoRequest } from 'hono'
import { hashOf } from '../crypto/canonical.ts'
import { parseIdempotencyKey } from './parse.ts'

/** What makes a request take effect once: the caller's Idempotency-Key, and a hash of what was asked for. */
export interface Once {
  key: string
  hash: string
}

/** Reads it from a request. `asked` is all that makes one request another; null if the request brought no key. */
export async function readOnce(request: HonoRequest, asked: object): Promise<Once | null> {
  const key = parseIdempotencyKey(request)
  return key === null ? null : { key, hash: await hashOf(asked) }
}
