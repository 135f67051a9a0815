import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Place, paywallAt } from '../../lib/db/gate.sql.ts'
import { expiry, type SignedInRow, signedInUser } from './open-session.sql.ts'
import type { NewRefreshToken } from './refresh-token.ts'

/**
 * Changes a session's refresh token for the next one. A token of the session that is not its latest was used before:
 * somebody has a copy, so the session ends, and with it the latest one. All of that is one row, which decides for
 * however many come at once: of two with the same token the first is served, and the second ends the session.
 */
export async function refreshSession(
  db: Database,
  place: Place,
  presentedHash: string,
  next: NewRefreshToken,
): Promise<SignedInRow> {
  const isLatest = sql`s.token_hash = ${presentedHash}::text`
  const { rows } = await sql<SignedInRow>`
    with ${paywallAt(place)}, session as (
      update sign_in_sessions s set
        token_hash = case when ${isLatest} then ${next.hash}::text else s.token_hash end,
        expires_at = case when ${isLatest} then ${expiry} else s.expires_at end,
        ended_at = case when ${isLatest} then null else now() end
      from paywall p
      where s.paywall_id = p.id and s.id = ${next.sessionId}::uuid and s.ended_at is null and s.expires_at > now()
      returning s.paywall_id, s.user_id, s.ended_at
    ), signed_in as (
      select s.paywall_id, u.* from users u join session s on s.user_id = u.id where s.ended_at is null
    )
    select
      case when not exists (select from paywall) then 'unknown_paywall'
        when not exists (select from signed_in) then 'invalid_grant' else 'signed_in' end as verdict,
      ${signedInUser()}`.execute(db)
  return rows[0]!
}
