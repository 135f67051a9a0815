import { defineErrors } from './errors.ts'

/** The errors that every endpoint can return. */
export const sharedErrors = defineErrors({
  invalid_json: [
    400,
    'invalid_json',
    'The body is not JSON in UTF-8, is truncated, or contains something that cannot be stored: a NUL character, an unpaired ' +
      'surrogate, or a number that is too large',
  ],
  invalid_query: [400, 'invalid_query', 'The query contains a NUL character'],
  invalid_key_format: [400, 'Invalid Idempotency-Key format', 'The `Idempotency-Key` is not a UUID'],
  paywall_id_mismatch: [400, 'paywall_id_mismatch', '`X-Paywall-Id` does not match the paywall of the call'],
  not_found: [404, 'not_found', 'There is nothing at this path'],
  method_not_allowed: [
    405,
    'method_not_allowed',
    'The path does not support this method. `Allow` lists the supported methods',
  ],
  payload_too_large: [413, 'payload_too_large', 'The body is too large'],
  rate_limited: [429, 'rate_limit_exceeded', 'Too many calls. Wait for the time in `Retry-After`'],
  failed: [500, 'internal_error', 'An error on our side. Include `X-Request-Id` when you contact support'],
  processor_rejected: [502, 'processor_rejected', 'The processor refused the request'],
  processor_unavailable: [
    502,
    'processor_unavailable',
    'The processor did not respond. Try again after the time in `Retry-After`',
  ],
  processor_misconfigured: [
    502,
    'processor_misconfigured',
    "The processor rejects the paywall's credentials, they lack a permission, or we cannot decrypt them. The owner has to " +
      'correct them',
  ],
  database_unavailable: [
    503,
    'database_unavailable',
    'Our database is unreachable, overloaded or did not respond. Try again after the time in `Retry-After`. The API ' +
      'reference says what a repeated call does if the first was carried out',
  ],
  storage_unavailable: [
    503,
    'storage_unavailable',
    'Our file storage is unreachable, so no ticket was opened. Try again after the time in `Retry-After`',
  ],
})

/** The error of an endpoint that is about one paywall. */
export const paywallErrors = {
  unknown_paywall: [404, 'paywall_not_found', 'There is no such paywall, or it is not served on this domain'],
} as const

/** The error that an endpoint adds to its table if it accepts an `Idempotency-Key`. */
export const idempotencyErrors = {
  key_reused: [
    409,
    'idempotency_key_reused',
    'The `Idempotency-Key` was used before, for a different request. Choose a new one',
  ],
} as const
