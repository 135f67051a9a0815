import type { HonoRequest } from 'hono'
import { hashOf } from '../crypto/canonical.ts'
import { databaseFailure } from '../db/unavailable.ts'
import { ApiError } from './errors.ts'
import { parseIdempotencyKey } from './parse.ts'
import { sharedWords } from './shared-words.ts'

/** What makes a request take effect once: the caller's Idempotency-Key, and a hash of the request. */
interface Once {
  idempotencyKey: string
  requestHash: string
}

/** Reads it from a request; null if it has no key. `change` is all that tells one request from another. */
export async function readOnce(request: HonoRequest, change: object): Promise<Once | null> {
  const idempotencyKey = parseIdempotencyKey(request)
  return idempotencyKey === null ? null : { idempotencyKey, requestHash: await hashOf(change) }
}

/**
 * For a `catch` around a credit or debit without a key. If its outcome is unknown, answers 503 without `Retry-After`,
 * because a repeat could apply it twice. Any other error is thrown on.
 */
export function unlessRepeatable(once: Once | null) {
  return (cause: unknown): never => {
    if (once || databaseFailure(cause) !== 'unknown') throw cause
    const message = 'It is not known whether the balance was changed: read it before you try again'
    throw new ApiError(...sharedWords.database_unavailable, { cause, detail: { message } })
  }
}
