/** The user of a verified token, its session and its audience. */
export type TokenBearer = { kind: 'user'; userId: string; sessionId: string; audience: string }

/** Who calls: an owner by its key, a user by its verified token. */
export type Caller = { kind: 'owner'; keyHash: string } | TokenBearer

/** Why an owner or a user is refused: see gate.sql. */
export type OwnerRefusal = 'unknown_key' | 'test_key' | 'live_key' | 'unknown_paywall' | 'not_owner'
export type UserRefusal = 'unknown_user' | 'unknown_paywall'
export type GateRefusal = OwnerRefusal | UserRefusal

/** The caller as parameters of the database functions. */
export function callerParameters(caller: Caller): { keyHash: string } | ReturnType<typeof bearerParameters> {
  return caller.kind === 'owner' ? { keyHash: caller.keyHash } : bearerParameters(caller)
}

/** The token's user as parameters of the database functions. */
export const bearerParameters = ({ userId, sessionId, audience }: TokenBearer) => ({
  tokenUserId: userId,
  tokenSessionId: sessionId,
  tokenAudience: audience,
})
