/** A user by its verified token: its id, and for whom the token is. */
export type TokenBearer = { kind: 'user'; userId: string; audience: string }

/** Who calls: an owner by its key, a user by its verified token. */
export type Caller = { kind: 'owner'; keyHash: string } | TokenBearer

/** Where the call is about: the paywall in its path, and the host it came in by. */
export type Place = { paywallId: string; host: string }

/** Whom an owner's call is about. With several of them, all must be the same user's. */
export interface Identity {
  email?: string | undefined
  userId?: string | undefined
  /** The owner's own id of the user. */
  externalId?: string | undefined
}

/** Why an owner, or a user, is not let in: see gate.sql. */
export type OwnerRefusal = 'unknown_key' | 'test_key' | 'live_key' | 'unknown_paywall' | 'not_owner'
export type UserRefusal = 'unknown_user' | 'unknown_paywall'
export type GateRefusal = OwnerRefusal | UserRefusal

/** Why a user-scoped call finds nobody (contract section 5, rule 2): see member.sql. */
export type MemberRefusal = 'unknown_identity' | 'not_member'

/** Why an owner's names for a user do not fit together: see name-user.sql. */
export type NameRefusal = 'unknown_identity' | 'other_external_id'

/** The caller as the database functions take it. */
export function callerParameters(caller: Caller): { keyHash: string } | ReturnType<typeof bearerParameters> {
  return caller.kind === 'owner' ? { keyHash: caller.keyHash } : bearerParameters(caller)
}

/** The user of a token as the database functions take it. */
export const bearerParameters = ({ userId, audience }: TokenBearer) => ({
  tokenUserId: userId,
  tokenAudience: audience,
})
