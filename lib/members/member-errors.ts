// The errors of users that several endpoints share (contract section 7). An endpoint whose contract words one differently overrides it.

const UNKNOWN_IDENTITY = [
  404,
  'identity_not_found',
  'There is no such user, or the identifiers sent belong to different users',
] as const

/** Of a `MemberRefusal`. */
export const memberErrors = {
  unknown_identity: UNKNOWN_IDENTITY,
  not_member: [404, 'identity_not_on_paywall', 'There is such a user, but it has never used this paywall'],
} as const

/** Of a `NameRefusal`. */
export const nameErrors = {
  unknown_identity: UNKNOWN_IDENTITY,
  other_external_id: [
    409,
    'external_id_mismatch',
    'The user with this e-mail address has another external id. External ids never change by themselves: check which one is ' +
      'right',
  ],
} as const

/** Of a call that adds to the user's meta. */
export const metaErrors = {
  full_meta: [
    400,
    'userMeta too large',
    "The part of the user's `meta` that was written with owner keys, or the part that was written by the user, would exceed 64 KB",
  ],
} as const
