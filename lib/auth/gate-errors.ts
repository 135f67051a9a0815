// The errors of credentials that most endpoints share (contract section 7). An endpoint whose contract words one differently overrides it.
import { paywallErrors } from '../http/shared-errors.ts'

/** Of a call without a credential, where one is required. */
export const missingCredentialErrors = { no_credential: [401, 'Unauthorized', 'No API key or token was sent'] } as const

/** The same where only owners may call. */
export const missingKeyErrors = { no_credential: [401, 'Unauthorized', 'No API key was sent as `X-Api-Key`'] } as const

/** Of an owner key and the paywall that it is used for. */
export const ownerErrors = {
  unknown_key: [401, 'Invalid API key', 'The API key is wrong or revoked'],
  test_key: [401, 'Invalid API key', 'A test key cannot be used with a live paywall'],
  live_key: [401, 'Invalid API key', 'A live key cannot be used with a test paywall'],
  ...paywallErrors,
  not_owner: [
    403,
    'Access denied: API key owner does not match paywall owner',
    'The API key belongs to another owner than the paywall',
  ],
} as const

/** Of a user's token. */
export const userErrors = {
  bad_token: [401, 'invalid_token', 'The token is malformed, expired, not signed by us, or for another owner or mode'],
  unknown_user: [
    401,
    'invalid_token',
    "The token's session has ended, its user was erased or merged into another one, or it is for another owner or mode. Sign in again",
  ],
} as const

/** Of an endpoint for owners and users. */
export const callerErrors = { ...missingCredentialErrors, ...userErrors, ...ownerErrors } as const

/** Of a request that a processor has signed. */
export const signatureErrors = {
  unknown_processor: [404, 'not_found', 'There is no such processor'],
  ...paywallErrors,
  forged: [400, 'invalid_signature', 'The signature is missing, wrong or too old'],
} as const
