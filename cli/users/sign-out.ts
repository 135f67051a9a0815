// `paywall users sign-out`: ends the sessions of a user, those minted by a leaked owner key, or all, and with them their access
// tokens.
import { type Expression, type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { email } from '../../lib/http/user-fields.ts'
import { parseArguments } from '../arguments.ts'
import { CommandError, type CommandResult, required } from '../command.ts'
import { type Database, withDatabase } from '../database.ts'
import { enterLocalWorld } from '../local-world.ts'
import { endLiveSessions } from './live-sessions.ts'
import { findUser, findUsers, readMode, USERS_OPTIONS, type Users, type UsersName, WHICH_MODE } from './named-user.ts'

const USAGE = [
  'usage: paywall users sign-out USER --owner EMAIL, or --paywall ID instead of --owner',
  'usage: paywall users sign-out --minted-by NAME --owner EMAIL [--since TIME]: sessions minted by the revoked key of that name',
  'usage: paywall users sign-out --all --owner EMAIL [--since TIME]: sessions of all users',
  WHICH_MODE,
]

const OPTIONS = {
  ...USERS_OPTIONS,
  paywall: { type: 'string' },
  'minted-by': { type: 'string' },
  all: { type: 'boolean' },
  since: { type: 'string' },
} as const

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

export async function runSignOut(args: string[]): Promise<CommandResult> {
  const request = parseSignOut(args)
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

function parseSignOut(args: string[]): SignOut {
  const { values, positionals } = parseArguments({ args, options: OPTIONS, allowPositionals: true }, USAGE)
  const { owner, paywall, 'minted-by': key, all, since } = values
  const mode = readMode(values, USAGE)
  const named: Selection[] = [
    ...positionals.map((name) => ({ kind: 'user' as const, name })),
    ...(key ? [{ kind: 'key' as const, name: key }] : []),
    ...(all ? [{ kind: 'all' as const }] : []),
  ]
  const [selection, ...others] = named
  if (!selection || others.length > 0 || !owner === !paywall || (paywall && mode)) throw new CommandError(USAGE)
  if (selection.kind === 'user' && since !== undefined) throw new CommandError(USAGE)
  if (since !== undefined && !z.iso.datetime({ offset: true }).safeParse(since).success) {
    throw new CommandError(['--since must be a time such as 2026-11-23T09:00:00Z'])
  }
  const scope: Scope = paywall
    ? { kind: 'paywall', id: paywall }
    : { kind: 'owner', ownerEmail: email.parse(owner ?? ''), mode }
  return { selection, scope, since: since ?? null }
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
