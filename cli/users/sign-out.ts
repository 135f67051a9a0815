import { sql } from 'kysely'
import { email } from '../../lib/http/user-fields.ts'
import { parseArguments } from '../arguments.ts'
import { CommandError, enterLocalWorld, type Outcome, required } from '../command.ts'
import { type Database, withDatabase } from '../database.ts'
import { findOwner, findUser } from './named-user.ts'

const USAGE = ['say users sign-out USER --owner EMAIL, or users sign-out USER --paywall ID']

/** Where the user's sessions are meant: on all paywalls of an owner, or on one. */
type Scope = { kind: 'owner'; email: string } | { kind: 'paywall'; id: string }

/** `paywall users sign-out`: ends all sessions of a user. Its access tokens last out their hour. */
export async function runSignOut(args: string[]): Promise<Outcome> {
  const { who, scope } = read(args)
  enterLocalWorld()
  const ended = await withDatabase(required('DATABASE_URL'), (db) => signOut(db, who, scope))
  return { text: `Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${who}.`, json: { user: who, ended } }
}

function read(args: string[]): { who: string; scope: Scope } {
  const options = { owner: { type: 'string' }, paywall: { type: 'string' } } as const
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, USAGE)
  const [who, ...rest] = positionals
  if (!who || rest.length > 0 || !values.owner === !values.paywall) throw new CommandError(USAGE)
  if (values.paywall) return { who, scope: { kind: 'paywall', id: values.paywall } }
  return { who, scope: { kind: 'owner', email: email.parse(values.owner) } }
}

/** Ends what sessions the user has there. How many those were. The id of a user who was merged names the other one. */
async function signOut(db: Database, who: string, scope: Scope): Promise<number> {
  const ownerId = scope.kind === 'owner' ? await findOwner(db, scope.email) : await ownerOf(db, scope.id)
  const { id, mergedInto } = await findUser(db, ownerId, who)
  const sessions = db
    .updateTable('sign_in_sessions')
    .set({ ended_at: sql`now()` })
    .where('user_id', '=', mergedInto ?? id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
  const there = scope.kind === 'paywall' ? sessions.where('paywall_id', '=', scope.id) : sessions
  const { numUpdatedRows } = await there.executeTakeFirst()
  return Number(numUpdatedRows)
}

async function ownerOf(db: Database, paywallId: string): Promise<string> {
  const paywall = await db.selectFrom('paywalls').select('owner_id').where('id', '=', paywallId).executeTakeFirst()
  if (!paywall) throw new CommandError([`there is no paywall ${paywallId}`])
  return paywall.owner_id
}
