import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Place, paywallAt } from '../../lib/db/gate.sql.ts'
import { openSession, type SignedInUser, signedInUser } from './open-session.sql.ts'
import type { NewRefreshToken } from './refresh-token.ts'

export type AnonymousRow = { verdict: 'unknown_paywall' } | { verdict: 'signed_in'; user: SignedInUser }

/** Makes a user without an e-mail address, on this paywall only. */
export async function signInAnonymously(
  db: Database,
  place: Place,
  refreshToken: NewRefreshToken,
): Promise<AnonymousRow> {
  const { rows } = await sql<AnonymousRow>`
    with ${paywallAt(place)}, made as (
      insert into users (email) select null from paywall returning *
    ), linked as (
      insert into members (paywall_id, user_id) select paywall.id, made.id from paywall, made returning paywall_id
    ), signed_in as (
      select linked.paywall_id, made.* from linked, made
    ), ${openSession(refreshToken)}
    select case when exists (select from opened) then 'signed_in' else 'unknown_paywall' end as verdict, ${signedInUser()}
    `.execute(db)
  return rows[0]!
}
