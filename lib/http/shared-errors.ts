import { defineErrors } from './errors.ts'

/** The errors that every endpoint can return. */
export const sharedErrors = defineErrors({
  invalid_json: [400, 'invalid_json'],
  invalid_query: [400, 'invalid_query'],
  invalid_key_format: [400, 'Invalid Idempotency-Key format'],
  paywall_id_mismatch: [400, 'paywall_id_mismatch'],
  not_found: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  payload_too_large: [413, 'payload_too_large'],
  rate_limited: [429, 'rate_limit_exceeded'],
  failed: [500, 'internal_error'],
  processor_rejected: [502, 'processor_rejected'],
  processor_unavailable: [502, 'processor_unavailable'],
  processor_misconfigured: [502, 'processor_misconfigured'],
  database_unavailable: [503, 'database_unavailable'],
  storage_unavailable: [503, 'storage_unavailable'],
})

/** The error of an endpoint that is about one paywall. */
export const paywallErrors = { unknown_paywall: [404, 'paywall_not_found'] } as const

/** The error that an endpoint adds to its table if it accepts an `Idempotency-Key`. */
export const idempotencyErrors = { key_reused: [409, 'idempotency_key_reused'] } as const
