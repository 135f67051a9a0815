import { hash } from 'node:crypto'
import type { KeyRules } from '../core/idempotency.ts'
import { MollieError } from './errors.ts'

/**
 * Mollie's idempotency of POST requests, as documented: a repeat gets "a cached version of the initial response", which
 * may be an error. The documentation does not say how long a key may be; 255 characters are our guess.
 */
export const KEY_RULES: KeyRules = {
  // "Keys older than 1 hour will be removed from our cache."
  keptSeconds: 3600,
  longestKey: 255,
  tooLong: () => new MollieError(400, 'The idempotency key is too long.'),
  otherPath: () => new MollieError(400, 'The idempotency key was used for another endpoint.'),
  otherParameters: () => new MollieError(400, 'The idempotency key was used with other parameters.'),
  inUse: () => new MollieError(409, 'A request with this idempotency key is still being processed.'),
}

/** Equal for the same body, byte by byte. */
export const fingerprint = (body: string) => hash('sha256', body)
