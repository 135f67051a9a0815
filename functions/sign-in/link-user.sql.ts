import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { gate, gateRefusals, type OwnerRefusal, type Place } from '../../lib/db/gate.sql.ts'

export type LinkedUser =
  | { verdict: OwnerRefusal }
  | {
      verdict: 'linked'
      user: { id: string; email: string; name: string | null; created_at: string }
    }

/** Makes the user of an e-mail address, if there is none, and links it to the owner's paywall. */
export async function linkUser(db: Database, keyHash: string, place: Place, email: string): Promise<LinkedUser> {
  const caller = { kind: 'owner', keyHash } as const
  const { rows } = await sql<LinkedUser>`
    with ${gate(caller, place)}, identity as (
      insert into users (email) select ${email}::text from granted
      on conflict (email) do update set name = users.name
      returning *
    ), linked as (
      insert into members (paywall_id, user_id) select granted.id, identity.id from granted, identity
      on conflict do nothing
    )
    select
      case ${gateRefusals(caller)} else 'linked' end as verdict,
      (select jsonb_build_object('id', id, 'email', email, 'name', name, 'created_at', iso(created_at)) from identity) as user
    `.execute(db)
  return rows[0]!
}
