import type { HonoRequest } from 'hono'
import { hashOf } from '../crypto/canonical.ts'
import { databaseFailure } from '../db/unavailable.ts'
import { ApiError } from './errors.ts'
import { parseIdempotencyKey } from './parse.ts'
import { sharedWords } from './shared-words.ts'

/** What makes a request take effect once: the caller's Idempotency-Key, and a hash of the request. */
export interface Once {
  idempotencyKey: string
  requestHash: string
}

/** Reads it from a request; null if it has no key. `asked` is what is asked for: the same key with something else in it is a mistake. */
export async function readOnce(request: HonoRequest, asked: object): Promise<Once | null> {
  const idempotencyKey = parseIdempotencyKey(request)
  return idempotencyKey === null ? null : { idempotencyKey, requestHash: await hashOf(asked) }
}

/**
 * For a `catch` around a credit or debit. If its outcome is unknown and it had no Idempotency-Key, a repeat could apply it
 * twice. So the answer is a 503 without `Retry-After`, which tells the caller to look first.
 */
export function unlessRepeatable(once: Once | null) {
  return (cause: unknown): never => {
    if (once || databaseFailure(cause) !== 'unknown') throw cause
    const message = 'It is not known whether the balance was changed: read it before you try again'
    throw new ApiError(...sharedWords.database_unavailable, { cause, detail: { message } })
  }
}
