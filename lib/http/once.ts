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

/** Reads it from a request; null if it has no key. `asked` is all that tells one request from another. */
export async function readOnce(request: HonoRequest, asked: object): Promise<Once | null> {
  const idempotencyKey = parseIdempotencyKey(request)
  return idempotencyKey === null ? null : { idempotencyKey, requestHash: await hashOf(asked) }
}

/**
 * What to do when a change fails that must not be made twice, for a `catch`: if nobody knows whether it was made, and no
 * Idempotency-Key makes a repeat harmless, the answer does not invite one.
 */
export function unlessRepeatable(once: Once | null) {
  return (cause: unknown): never => {
    if (once || databaseFailure(cause) !== 'unknown') throw cause
    const message = 'It is not known whether the balance was changed: read it before you try again'
    throw new ApiError(...sharedWords.database_unavailable, { cause, detail: { message } })
  }
}
