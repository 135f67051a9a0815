import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Place, paywallAt } from '../../lib/db/gate.sql.ts'
import { openSession, type SignedInRow, signedInUser } from './open-session.sql.ts'
import type { NewRefreshToken } from './refresh-token.ts'
import { CODE_TRIES } from './sign-in-code.ts'

/** An address, the hash of a code that somebody says was mailed to it, and the anonymous user who says so, if any. */
export interface Proof {
  email: string
  codeHash: string
  anonymousId: string | null
}

/**
 * Signs in the user of an address whose code is right. A try is counted on the code's row before the code is looked at,
 * and the right one uses up all that are left, so that however many come at once, no more are heard and one gets in.
 */
export async function signInByCode(
  db: Database,
  place: Place,
  proof: Proof,
  refreshToken: NewRefreshToken,
): Promise<SignedInRow> {
  const { rows } = await sql<SignedInRow>`
    with ${paywallAt(place)}, tried as (
      update sign_in_codes c
      set tries = case when c.code_hash = ${proof.codeHash}::text then ${CODE_TRIES}::int else c.tries + 1 end
      from paywall p
      where (c.paywall_id, c.email) = (p.id, ${proof.email}::text)
        and c.tries < ${CODE_TRIES}::int and c.expires_at > now()
      returning c.paywall_id, c.email, c.code_hash
    ), signed_in as (
      select t.paywall_id, u.* from tried t, sign_in(t.paywall_id, t.email, ${proof.anonymousId}::uuid) u
      where t.code_hash = ${proof.codeHash}::text
    ), ${openSession(refreshToken)}
    select
      case when not exists (select from paywall) then 'unknown_paywall'
        when not exists (select from opened) then 'invalid_grant' else 'signed_in' end as verdict,
      ${signedInUser()}`.execute(db)
  return rows[0]!
}
