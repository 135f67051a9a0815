/** Who calls: an owner by its key, a user by its verified token. */
export type Caller = { kind: 'owner'; keyHash: string } | { kind: 'user'; userId: string }

/** Where the call is about: the paywall in its path, and the host it came in by. */
export type Place = { paywallId: string; host: string }

/** Whom an owner's call is about. With both, `userId` names the user and the e-mail must be that user's. */
export interface Identity {
  email?: string | undefined
  userId?: string | undefined
}

/** Why an owner, or a user, is not let in: see gate.sql. */
export type OwnerRefusal = 'unknown_key' | 'test_key' | 'live_key' | 'unknown_paywall' | 'not_owner'
export type UserRefusal = 'unknown_user' | 'unknown_paywall'
export type GateRefusal = OwnerRefusal | UserRefusal

/** Why a user-scoped call finds nobody (contract section 5, rule 2): see member.sql. */
export type MemberRefusal = 'unknown_identity' | 'not_member'

/** The caller as the database functions take it. */
export function callerParameters(caller: Caller): { keyHash: string } | { tokenUserId: string } {
  return caller.kind === 'owner' ? { keyHash: caller.keyHash } : { tokenUserId: caller.userId }
}
