// The errors of credentials that most endpoints share (contract section 7). An endpoint whose contract words one differently overrides it.

const INVALID_KEY = [401, 'Invalid API key'] as const
const INVALID_TOKEN = [401, 'invalid_token'] as const

/** Of an owner key. */
export const keyErrors = { unknown_key: INVALID_KEY, test_key: INVALID_KEY, live_key: INVALID_KEY } as const

/** Of an owner key and the paywall that it is used for. */
export const ownerErrors = {
  ...keyErrors,
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
} as const

/** Of a user's token. */
export const userErrors = { bad_token: INVALID_TOKEN, unknown_user: INVALID_TOKEN } as const
