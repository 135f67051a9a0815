import { sql } from 'kysely'
import { type NewRefreshToken, REFRESH_TOKEN_DAYS } from './refresh-token.ts'

/** A user as an answer shows it. */
export interface SignedInUser {
  id: string
  email: string | null
  name: string | null
  created_at: string
}

export type GrantRefusal = 'unknown_paywall' | 'invalid_grant'

export type SignedInRow = { verdict: GrantRefusal } | { verdict: 'signed_in'; user: SignedInUser }

/** When a refresh token that is given now will be of no use any more. */
export const expiry = sql`now() + make_interval(days => ${REFRESH_TOKEN_DAYS}::int)`

/** The CTE `opened`: a session with its first refresh token, to follow `signed_in (paywall_id, id, …)`, a user's row. */
export function openSession({ sessionId, hash }: NewRefreshToken) {
  return sql`
    opened as (
      insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at)
      select ${sessionId}::uuid, paywall_id, id, ${hash}::text, ${expiry} from signed_in
      returning user_id
    )`
}

/**
 * The column `user`, of the one row of `signed_in`. A name that this very statement gives the member is `given`: the
 * statement does not see it there yet.
 */
export const signedInUser = (given: string | null = null) => sql`(
  select jsonb_build_object('id', s.id, 'email', s.email, 'created_at', iso(s.created_at), 'name', coalesce(
    ${given}::text, (select m.name from members m where (m.paywall_id, m.user_id) = (s.paywall_id, s.id))))
  from signed_in s
) as user`
