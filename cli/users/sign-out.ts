// `paywall users sign-out`: ends the sessions of a user, those minted by a leaked owner key, or all, and with them their access
// tokens.
import { type Expression, type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError, type CommandResult, required } from '../command.ts'
import { type Database, withDatabase } from '../database.ts'
import { enterLocalWorld } from '../local-world.ts'
import { endLiveSessions } from './live-sessions.ts'
import { findUser, findUsers, readMode, type Users, type UsersName } from './named-user.ts'

interface SignOutOptions {
  mintedBy?: string | undefined
  all?: true | undefined
  since?: string | undefined
  owner?: string | undefined
  paywall?: string | undefined
  test?: true | undefined
  live?: true | undefined
}

/** Which paywalls: all of an owner and mode, or one. */
type Scope = ({ kind: 'owner' } & UsersName) | { kind: 'paywall'; id: string }

/** Which sessions: a user's, those minted by a key, or all. */
type Selection = { kind: 'user'; name: string } | { kind: 'key'; name: string } | { kind: 'all' }

interface SignOut {
  selection: Selection
  scope: Scope
  /** Only sessions that began at this time or later, as the operator typed it. */
  since: string | null
}

/** `paywall users sign-out` */
export async function runSignOut(user: string | undefined, options: SignOutOptions): Promise<CommandResult> {
  const request = { selection: readSelection(user, options), scope: readScope(options), since: options.since ?? null }
  enterLocalWorld()
  const ended = await withDatabase(required('DATABASE_URL'), (db) => signOut(db, request))
  const { selection, since } = request
  const sessions = `${ended} ${ended === 1 ? 'session' : 'sessions'}`
  const text = `Ended ${sessions} ${describe(selection)}${since === null ? '' : ` since ${since}`}.`
  return { text, json: { ...(selection.kind === 'user' && { user: selection.name }), ended } }
}

function describe(selection: Selection): string {
  if (selection.kind === 'all') return 'of all users'
  return selection.kind === 'key' ? `minted by key ${selection.name}` : `of ${selection.name}`
}

function readSelection(user: string | undefined, { mintedBy, all, since }: SignOutOptions): Selection {
  const named: Selection[] = [
    ...(user ? [{ kind: 'user' as const, name: user }] : []),
    ...(mintedBy ? [{ kind: 'key' as const, name: mintedBy }] : []),
    ...(all ? [{ kind: 'all' as const }] : []),
  ]
  const [selection, ...others] = named
  if (!selection || others.length > 0) throw new CommandError(['name either a user, --minted-by NAME or --all'])
  if (since === undefined) return selection
  if (selection.kind === 'user') throw new CommandError(['--since needs --minted-by or --all'])
  if (z.iso.datetime({ offset: true }).safeParse(since).success) return selection
  throw new CommandError(['--since must be a time such as 2026-11-23T09:00:00Z'])
}

function readScope({ owner, paywall, test, live }: SignOutOptions): Scope {
  if (!owner === !paywall) throw new CommandError(['add either --owner EMAIL or --paywall ID'])
  if (owner) return { kind: 'owner', ownerEmail: email.parse(owner), mode: readMode({ test, live }) }
  if (test || live) throw new CommandError(['--test and --live need --owner: a paywall has one mode'])
  return { kind: 'paywall', id: paywall ?? '' }
}

/** Ends the selected sessions and returns their number. */
async function signOut(db: Database, { selection, scope, since }: SignOut): Promise<number> {
  const users = scope.kind === 'owner' ? await findUsers(db, scope) : await usersOfPaywall(db, scope.id)
  const paywallIds =
    scope.kind === 'paywall'
      ? sql`select ${scope.id}`
      : sql`select p.id from paywalls p where p.owner_id = ${users.ownerId} and p.is_test = ${users.isTest}`
  const isSelected = await condition(db, users, selection)
  return endLiveSessions(
    db,
    sql<SqlBool>`paywall_id in (${paywallIds}) and ${isSelected} and created_at >= coalesce(${since}::timestamptz, '-infinity')`,
  )
}

async function condition(db: Database, users: Users, selection: Selection): Promise<Expression<SqlBool>> {
  if (selection.kind === 'all') return sql<SqlBool>`true`
  if (selection.kind === 'key')
    return sql<SqlBool>`minted_by = any(${await revokedKeys(db, users, selection.name)}::uuid[])`
  const { id, mergedInto } = await findUser(db, users, selection.name)
  return sql<SqlBool>`user_id = ${mergedInto ?? id}`
}

/** The ids of an owner's revoked keys with a name. Each secret that a key had is a key of its own. */
async function revokedKeys(db: Database, { ownerId, isTest }: Users, name: string): Promise<string[]> {
  const keys = await db
    .selectFrom('api_keys')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_test', '=', isTest)
    .where('name', '=', name)
    .where('revoked_at', 'is not', null)
    .execute()
  if (keys.length > 0) return keys.map(({ id }) => id)
  throw new CommandError([
    `the owner has no revoked key ${name}: a key that is still valid could sign users in again, so revoke it first with apply`,
  ])
}

async function usersOfPaywall(db: Database, paywallId: string): Promise<Users> {
  const columns = ['owner_id', 'is_test'] as const
  const paywall = await db.selectFrom('paywalls').select(columns).where('id', '=', paywallId).executeTakeFirst()
  if (!paywall) throw new CommandError([`there is no paywall ${paywallId}`])
  return { ownerId: paywall.owner_id, isTest: paywall.is_test }
}
