/** Whom an owner's call is about. With several of them, all must be the same user's. */
export interface Identity {
  email?: string | undefined
  userId?: string | undefined
  /** The owner's own id of the user. */
  externalId?: string | undefined
}

/** Why a user-scoped call finds nobody (contract section 5, rule 2): see member.sql. */
export type MemberRefusal = 'unknown_identity' | 'not_member'

/** Why an owner's names for a user do not fit together: see name-user.sql. */
export type NameRefusal = 'unknown_identity' | 'other_external_id'
