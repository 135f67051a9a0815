// The errors of users that several endpoints share (contract section 7). An endpoint whose contract words one differently overrides it.

const UNKNOWN_IDENTITY = [404, 'identity_not_found'] as const

/** Of a `MemberRefusal`. */
export const memberErrors = {
  unknown_identity: UNKNOWN_IDENTITY,
  not_member: [404, 'identity_not_on_paywall'],
} as const

/** Of a `NameRefusal`. */
export const nameErrors = {
  unknown_identity: UNKNOWN_IDENTITY,
  other_external_id: [409, 'external_id_mismatch'],
} as const

/** Of a call that adds to the user's meta. */
export const metaErrors = { full_meta: [400, 'userMeta too large'] } as const
