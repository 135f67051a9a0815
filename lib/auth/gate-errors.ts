// The errors of credentials that most endpoints share (contract section 7). An endpoint whose contract words one differently overrides it.
import { paywallErrors } from '../http/shared-errors.ts'

const INVALID_KEY = [401, 'Invalid API key'] as const
const INVALID_TOKEN = [401, 'invalid_token'] as const

/** Of a call without a credential, where one is required. */
export const missingCredentialErrors = { no_credential: [401, 'Unauthorized'] } as const

/** Of an owner key and the paywall that it is used for. */
export const ownerErrors = {
  unknown_key: INVALID_KEY,
  test_key: INVALID_KEY,
  live_key: INVALID_KEY,
  ...paywallErrors,
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
} as const

/** Of a user's token. */
export const userErrors = { bad_token: INVALID_TOKEN, unknown_user: INVALID_TOKEN } as const

/** Of an endpoint for owners and users. */
export const callerErrors = { ...missingCredentialErrors, ...userErrors, ...ownerErrors } as const

/** Of a request that a processor has signed. */
export const signatureErrors = {
  unknown_processor: [404, 'not_found'],
  ...paywallErrors,
  forged: [400, 'invalid_signature'],
} as const
