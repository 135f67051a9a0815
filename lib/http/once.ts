import type { HonoRequest } from 'hono'
import { hashOf } from '../crypto/canonical.ts'
import { databaseFailure } from '../db/unavailable.ts'
import { type Additions, ApiError } from './errors.ts'
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
 * For a `catch` around a database call that its caller must not simply repeat. If the outcome is unknown, answers 503 with
 * `additions` instead of the usual `Retry-After`. Any other error is thrown on.
 */
export function ifUnknown(additions: Additions) {
  return (cause: unknown): never => {
    if (databaseFailure(cause) !== 'unknown') throw cause
    throw new ApiError(...sharedWords.database_unavailable, { ...additions, cause })
  }
}

/** `ifUnknown` for a credit or debit without a key: a repeat could apply it twice. With a key it does no harm. */
export function unlessRepeatable(once: Once | null) {
  const message = 'It is not known whether the balance was changed: read it before you try again'
  return once ? throwOn : ifUnknown({ detail: { message } })
}

function throwOn(error: unknown): never {
  throw error
}
