import type { HonoRequest } from 'hono'
import { canonicalHash } from '../crypto/canonical.ts'
import { databaseFailure } from '../db/unavailable.ts'
import { type Additions, ApiError } from './errors.ts'
import { parseIdempotencyKey } from './parse.ts'
import { sharedErrors } from './shared-errors.ts'

/** What makes a request take effect once: the caller's Idempotency-Key, and a hash of the request. */
interface Idempotency {
  idempotencyKey: string
  requestHash: string
}

/** Reads it from a request; null if it has no key. `change` is all that tells one request from another. */
export async function readIdempotencyKey(request: HonoRequest, change: object): Promise<Idempotency | null> {
  const idempotencyKey = parseIdempotencyKey(request)
  return idempotencyKey === null ? null : { idempotencyKey, requestHash: await canonicalHash(change) }
}

/**
 * For a `catch` around a database call that its caller must not simply repeat. If the outcome is unknown, answers 503 with
 * `additions` instead of the usual `Retry-After`. Any other error is thrown on.
 */
export function reportUnknownOutcome(additions: Additions) {
  return (cause: unknown): never => {
    if (databaseFailure(cause) !== 'unknown') throw cause
    throw new ApiError(...sharedErrors.database_unavailable, { ...additions, cause })
  }
}

/** `reportUnknownOutcome` for a credit or debit without a key: a repeat could apply it twice. With a key it does no harm. */
export function onUnknownOutcome(idempotency: Idempotency | null) {
  const message = 'It is not known whether the balance was changed: read it before you try again'
  return idempotency ? rethrow : reportUnknownOutcome({ detail: { message } })
}

function rethrow(error: unknown): never {
  throw error
}
