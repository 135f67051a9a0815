import { sql } from 'kysely'
import * as z from 'zod'
import { email } from '../lib/http/user-fields.ts'
import { CommandError, enterLocalWorld, required } from './command.ts'
import { type Database, withDatabase } from './database.ts'

/** Whose sessions are meant: on all paywalls of an owner, or on one. */
type Scope = { kind: 'owner'; email: string } | { kind: 'paywall'; id: string }

/** `paywall users sign-out`: ends all sessions of a user. Its access tokens last out their hour. */
export async function runUsersSignOut(args: string[]): Promise<void> {
  const [verb, who, option, value, ...rest] = args
  const scope = scopeOf(option, value)
  if (verb !== 'sign-out' || !who || !scope || rest.length > 0) {
    throw new CommandError(['say users sign-out EMAIL|ID --owner EMAIL, or users sign-out EMAIL|ID --paywall ID'])
  }
  enterLocalWorld()
  const ended = await withDatabase(required('DATABASE_URL'), (db) => signOut(db, who, scope))
  console.log(`Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${who}.`)
}

function scopeOf(option?: string, value?: string): Scope | null {
  if (!value) return null
  if (option === '--owner') return { kind: 'owner', email: email.parse(value) }
  return option === '--paywall' ? { kind: 'paywall', id: value } : null
}

/** Ends what sessions the user has there. How many those were. */
async function signOut(db: Database, who: string, scope: Scope): Promise<number> {
  const paywallIds = await paywallsOf(db, scope)
  const userIds = await idsOf(db, who, paywallIds)
  const ended = await db
    .updateTable('sign_in_sessions')
    .set({ ended_at: sql`now()` })
    .where('user_id', 'in', userIds)
    .where('paywall_id', 'in', paywallIds)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}

async function paywallsOf(db: Database, scope: Scope): Promise<string[]> {
  const named =
    scope.kind === 'paywall'
      ? db.selectFrom('paywalls').where('id', '=', scope.id)
      : db
          .selectFrom('paywalls')
          .where('owner_id', 'in', db.selectFrom('owners').select('id').where('email', '=', scope.email))
  const rows = await named.select('id').execute()
  if (rows.length > 0) return rows.map(({ id }) => id)
  throw new CommandError([
    scope.kind === 'paywall' ? `there is no paywall ${scope.id}` : `no owner ${scope.email} has a paywall`,
  ])
}

/** The user of an address or id, as a member there. The id of an anonymous user that was merged names the known one. */
async function idsOf(db: Database, who: string, paywallIds: string[]): Promise<string[]> {
  const id = z.uuid().safeParse(who.trim().toLowerCase())
  const members = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(({ fn }) => fn.coalesce('members.merged_into', 'members.user_id').as('user_id'))
    .distinct()
    .where('members.paywall_id', 'in', paywallIds)
    .where((where) => (id.success ? where('users.id', '=', id.data) : where('users.email', '=', email.parse(who))))
    .execute()
  if (members.length === 0) throw new CommandError([`there is no user ${who} there`])
  return members.map(({ user_id }) => user_id)
}
