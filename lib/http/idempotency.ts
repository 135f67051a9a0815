import type { HonoRequest } from 'hono'
import { canonicalHash } from '../crypto/canonical.ts'
import { databaseFailure } from '../db/unavailable.ts'
import { type Additions, ApiError } from './errors.ts'
import { parseIdempotencyKey } from './parse.ts'
import { sharedErrors } from './shared-errors.ts'

/** Makes a request idempotent: the caller's Idempotency-Key, and a hash of the request. */
interface Idempotency {
  idempotencyKey: string
  requestHash: string
}

/** Reads the key from a request; null if there is none. `change` is everything that distinguishes one request from another. */
export async function readIdempotencyKey(request: HonoRequest, change: object): Promise<Idempotency | null> {
  const idempotencyKey = parseIdempotencyKey(request)
  return idempotencyKey === null ? null : { idempotencyKey, requestHash: await canonicalHash(change) }
}

/**
 * For a `catch` around a database call that callers must not simply retry. If the outcome is unknown, responds 503 with `additions` instead
 * of the usual `Retry-After`. Any other error is rethrown.
 */
export function reportUnknownOutcome(additions: Additions) {
  return (cause: unknown): never => {
    if (databaseFailure(cause) !== 'unknown') throw cause
    throw new ApiError(sharedErrors.database_unavailable, { ...additions, cause })
  }
}

/**
 * `reportUnknownOutcome` for a change without a key, whose retry could apply it twice. With a key a retry is harmless. `message` says what is
 * unknown, and what to do.
 */
export function onUnknownOutcome(
  idempotency: Idempotency | null,
  message = 'It is unknown whether the balance changed: read it before you retry',
) {
  return idempotency ? rethrow : reportUnknownOutcome({ detail: { message } })
}

function rethrow(error: unknown): never {
  throw error
}
