import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Caller, type GateRefusal, gate, gateRefusals, type Place } from '../../lib/db/gate.sql.ts'
import { type Identity, type MemberRefusal, member, memberRefusals } from '../../lib/db/member.sql.ts'
import { memberState, memberStateColumns } from '../../lib/db/member-state.sql.ts'
import type { Geo } from '../../lib/geo/targeting.ts'
import type { MemberState } from '../../lib/purchases/member-state.ts'

export type ReadUserRefusal = GateRefusal | MemberRefusal

export type UserRow =
  | { verdict: ReadUserRefusal }
  | ({
      verdict: 'found'
      user: { id: string; email: string | null; name: string | null; created_at: string }
      meta: Record<string, unknown>
      geo: Geo
    } & MemberState)

/** A user's standing on a paywall. The first read of a UTC day also tops up the balances of a user who has not paid. */
export async function readUser(db: Database, caller: Caller, place: Place, identity: Identity): Promise<UserRow> {
  const { rows } = await sql<UserRow>`
    with ${gate(caller, place)}, ${member(caller, identity)}, ${memberState}
    select
      case ${gateRefusals(caller)} ${memberRefusals} else 'found' end as verdict,
      (select jsonb_build_object('id', i.id, 'email', i.email, 'name', m.name, 'created_at', iso(i.created_at))
       from identity i, member m) as user,
      (select meta from member) as meta,
      (select geo from granted) as geo,
      ${memberStateColumns}`.execute(db)
  return rows[0]!
}
