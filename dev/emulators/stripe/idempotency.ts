import { hash } from 'node:crypto'
import type { KeyRules } from '../core/idempotency.ts'
import { StripeError } from './errors.ts'

const keyError = (message: string) => new StripeError(400, { type: 'idempotency_error', message }, false)

/** Stripe's idempotency of POST requests. */
export const KEY_RULES: KeyRules = {
  // Stripe forgets a key after a day.
  keptSeconds: 24 * 3600,
  longestKey: 255,
  tooLong: () => keyError('Idempotency keys must be at most 255 characters long.'),
  otherPath: ({ key, path }, first) =>
    keyError(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${first}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    ),
  otherParameters: ({ key }) =>
    keyError(
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    ),
  inUse: ({ key }) =>
    new StripeError(
      409,
      {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      },
      false,
    ),
}

/** Equal for the same parameters in any order. */
export const fingerprint = (form: string) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort()))
