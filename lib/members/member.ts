/** The identifiers of an owner's call. If there are several, all must belong to the same user. */
export interface Identity {
  email?: string | undefined
  userId?: string | undefined
  /** The owner's own id of the user. */
  externalId?: string | undefined
}

/** Why a user-scoped call finds no member (contract section 5, rule 2): see member.sql. */
export type MemberRefusal = 'unknown_identity' | 'not_member'

/** Why an owner's identifiers of a user do not match: see name-user.sql. */
export type NameRefusal = 'unknown_identity' | 'other_external_id'
