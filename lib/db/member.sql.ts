import { sql } from 'kysely'
import type { Caller } from './gate.sql.ts'

/** Whom an owner's call is about. With both, `userId` names the user and the e-mail must be that user's. */
export interface Identity {
  email?: string | undefined
  userId?: string | undefined
}

/** Why a user-scoped call finds nobody (contract section 5, rule 2). */
export type MemberRefusal = 'unknown_identity' | 'not_member'

/**
 * The CTEs `identity` (the user's row) and `member` (the user's row on the granted paywall), to follow `gate`.
 * A user's own token names the user; what the request says of identity counts for owners only. The id of an anonymous
 * user who signed in as a known one goes on naming that user: an owner may have kept it.
 */
export function member(caller: Caller, identity: Identity) {
  return sql`
    identity as (select u.* from users u, granted where ${namedBy(caller, identity)}),
    member as (
      select m.* from members m join granted g on g.id = m.paywall_id join identity i on i.id = m.user_id
      where m.merged_into is null
    )`
}

/** The `case` arms that go with `member`. */
export const memberRefusals = sql`
  when not exists (select from identity) then 'unknown_identity'
  when not exists (select from member) then 'not_member'`

/** Never matches a user, and is a uuid, so that any text can be looked for. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function namedBy(caller: Caller, { email, userId }: Identity) {
  if (caller.kind === 'user') return sql`u.id = ${caller.userId}::uuid`
  const byEmail = sql`u.email = ${email ?? null}::text`
  if (userId === undefined) return byEmail
  const id = sql`${UUID.test(userId) ? userId : NOBODY}::uuid`
  const byId = sql`u.id = coalesce((
    select m.merged_into from members m where (m.paywall_id, m.user_id) = (granted.id, ${id})
  ), ${id})`
  return email === undefined ? byId : sql`${byId} and ${byEmail}`
}
