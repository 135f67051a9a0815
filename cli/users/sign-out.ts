// `paywall users sign-out`: ends the sessions of a user, those that a leaked owner key has minted, or all. Access tokens last out
// their hour.
import { type Expression, type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { email } from '../../lib/http/user-fields.ts'
import { parseArguments } from '../arguments.ts'
import { CommandError, type CommandResult, enterLocalWorld, required } from '../command.ts'
import { type Database, withDatabase } from '../database.ts'
import { endLiveSessions } from './live-sessions.ts'
import { findUser, findUsers, readMode, USERS_OPTIONS, type Users, type UsersName, WHICH_MODE } from './named-user.ts'

const USAGE = [
  'say users sign-out USER --owner EMAIL, or users sign-out USER --paywall ID',
  'or users sign-out --minted-by NAME --owner EMAIL: what an owner key of that name minted that is revoked',
  'or users sign-out --all --owner EMAIL: everybody; the last two may have --since TIME',
  WHICH_MODE,
]

const OPTIONS = {
  ...USERS_OPTIONS,
  paywall: { type: 'string' },
  'minted-by': { type: 'string' },
  all: { type: 'boolean' },
  since: { type: 'string' },
} as const

/** Where sessions are meant: on all paywalls of an owner and mode, or on one. */
type Scope = ({ kind: 'owner' } & UsersName) | { kind: 'paywall'; id: string }

/** Whose sessions are meant. */
type Whose = { kind: 'user'; name: string } | { kind: 'key'; name: string } | { kind: 'all' }

interface SignOut {
  whose: Whose
  scope: Scope
  /** Only sessions that began then or later, as the operator wrote it. */
  since: string | null
}

export async function runSignOut(args: string[]): Promise<CommandResult> {
  const request = read(args)
  enterLocalWorld()
  const ended = await withDatabase(required('DATABASE_URL'), (db) => signOut(db, request))
  const { whose, since } = request
  const sessions = `${ended} ${ended === 1 ? 'session' : 'sessions'}`
  const text = `Ended ${sessions} ${describe(whose)}${since === null ? '' : ` since ${since}`}.`
  return { text, json: { ...(whose.kind === 'user' && { user: whose.name }), ended } }
}

const describe = (whose: Whose): string =>
  whose.kind === 'all' ? 'of all users' : whose.kind === 'key' ? `that key ${whose.name} minted` : `of ${whose.name}`

function read(args: string[]): SignOut {
  const { values, positionals } = parseArguments({ args, options: OPTIONS, allowPositionals: true }, USAGE)
  const { owner, paywall, 'minted-by': key, all, since } = values
  const mode = readMode(values, USAGE)
  const named: Whose[] = [
    ...positionals.map((name) => ({ kind: 'user' as const, name })),
    ...(key ? [{ kind: 'key' as const, name: key }] : []),
    ...(all ? [{ kind: 'all' as const }] : []),
  ]
  const [whose, ...others] = named
  if (!whose || others.length > 0 || !owner === !paywall || (paywall && mode)) throw new CommandError(USAGE)
  if (whose.kind === 'user' && since !== undefined) throw new CommandError(USAGE)
  if (since !== undefined && !z.iso.datetime({ offset: true }).safeParse(since).success) {
    throw new CommandError(['--since takes a time such as 2026-11-23T09:00:00Z'])
  }
  const scope: Scope = paywall
    ? { kind: 'paywall', id: paywall }
    : { kind: 'owner', ownerEmail: email.parse(owner ?? ''), mode }
  return { whose, scope, since: since ?? null }
}

/** Ends the sessions that are meant: how many those were. */
async function signOut(db: Database, { whose, scope, since }: SignOut): Promise<number> {
  const users = scope.kind === 'owner' ? await findUsers(db, scope) : await usersOfPaywall(db, scope.id)
  const paywallIds =
    scope.kind === 'paywall'
      ? sql`select ${scope.id}`
      : sql`select p.id from paywalls p where p.owner_id = ${users.ownerId} and p.is_test = ${users.isTest}`
  const isMeant = await condition(db, users, whose)
  return endLiveSessions(
    db,
    sql<SqlBool>`paywall_id in (${paywallIds}) and ${isMeant} and created_at >= coalesce(${since}::timestamptz, '-infinity')`,
  )
}

async function condition(db: Database, users: Users, whose: Whose): Promise<Expression<SqlBool>> {
  if (whose.kind === 'all') return sql<SqlBool>`true`
  if (whose.kind === 'key') return sql<SqlBool>`minted_by = any(${await revokedKeys(db, users, whose.name)}::uuid[])`
  const { id, mergedInto } = await findUser(db, users, whose.name) // a merged user's id names the other one
  return sql<SqlBool>`user_id = ${mergedInto ?? id}`
}

/** The ids of an owner's revoked keys of a name and mode: each secret that a key had is one. */
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
    `the owner has no key ${name} that is revoked; whoever has one that is not signs users in again: revoke it first, by apply`,
  ])
}

async function usersOfPaywall(db: Database, paywallId: string): Promise<Users> {
  const columns = ['owner_id', 'is_test'] as const
  const paywall = await db.selectFrom('paywalls').select(columns).where('id', '=', paywallId).executeTakeFirst()
  if (!paywall) throw new CommandError([`there is no paywall ${paywallId}`])
  return { ownerId: paywall.owner_id, isTest: paywall.is_test }
}
