import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { gate, gateRefusals, type OwnerRefusal, type Place } from '../../lib/db/gate.sql.ts'
import { openSession, type SignedInUser, signedInUser } from './open-session.sql.ts'
import type { NewRefreshToken } from './refresh-token.ts'

export type ExchangedRow = { verdict: OwnerRefusal } | { verdict: 'signed_in'; user: SignedInUser }

/** Signs in the user of an e-mail address on the word of the paywall's owner; made and linked to the paywall if new. */
export async function signInForOwner(
  db: Database,
  keyHash: string,
  place: Place,
  { email, name }: { email: string; name: string | null },
  refreshToken: NewRefreshToken,
): Promise<ExchangedRow> {
  const caller = { kind: 'owner', keyHash } as const
  const { rows } = await sql<ExchangedRow>`
    with ${gate(caller, place)}, signed_in as (
      select g.id as paywall_id, u.* from granted g, sign_in(g.id, ${email}::text, null, ${name}::text) u
    ), ${openSession(refreshToken)}
    select case ${gateRefusals(caller)} else 'signed_in' end as verdict, ${signedInUser(name)}`.execute(db)
  return rows[0]!
}
