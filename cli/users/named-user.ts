import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'

export type Mode = 'test' | 'live'

/** An owner and a mode. The mode may be omitted if the owner has paywalls of one mode only. */
export interface UsersName {
  ownerEmail: string
  mode?: Mode | undefined
}

/** An owner's test users, or its live ones. */
export interface Users {
  ownerId: string
  isTest: boolean
}

/** A user of an owner. `mergedInto` is the user that it was merged into, if any. */
export interface NamedUser {
  id: string
  email: string | null
  external_id: string | null
  mergedInto: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The options that select an owner and a mode, as the operator typed them. */
export interface UsersOptions {
  owner: string
  test?: true | undefined
  live?: true | undefined
}

export const usersName = ({ owner, ...mode }: UsersOptions): UsersName => ({
  ownerEmail: email.parse(owner),
  mode: readMode(mode),
})

/** Reads the mode from `--test` and `--live`. */
export function readMode({ test, live }: { test?: true | undefined; live?: true | undefined }): Mode | undefined {
  if (test) return 'test'
  return live ? 'live' : undefined
}

/** Throws a `CommandError` if the owner does not exist, or if it has test and live paywalls and `mode` is omitted. */
export async function findUsers(db: Database, { ownerEmail, mode }: UsersName): Promise<Users> {
  const owner = await db.selectFrom('owners').select('id').where('email', '=', ownerEmail).executeTakeFirst()
  if (!owner) throw new CommandError([`there is no owner ${ownerEmail}`])
  if (mode) return { ownerId: owner.id, isTest: mode === 'test' }

  const paywalls = db.selectFrom('paywalls').select('is_test').distinct().where('owner_id', '=', owner.id)
  const [one, other] = await paywalls.execute()
  if (other) throw new CommandError([`owner ${ownerEmail} has test and live paywalls: add --test or --live`])
  return { ownerId: owner.id, isTest: one?.is_test ?? false }
}

/**
 * Finds an owner's user by id, e-mail address or external id. Throws a `CommandError` if no user matches, or several: an external id
 * may look like another user's address or id.
 */
export async function findUser(db: Database, { ownerId, isTest }: Users, name: string): Promise<NamedUser> {
  const users = await db
    .selectFrom('users')
    .select(['id', 'email', 'external_id'])
    .select(({ selectFrom }) =>
      selectFrom('members')
        .select('merged_into')
        .whereRef('user_id', '=', 'users.id')
        .where('merged_into', 'is not', null)
        .limit(1)
        .as('mergedInto'),
    )
    .where('owner_id', '=', ownerId)
    .where('is_test', '=', isTest)
    .where(({ eb, or }) =>
      or([
        eb('email', '=', email.parse(name)),
        eb('external_id', '=', name),
        ...(UUID.test(name) ? [eb('id', '=', name)] : []),
      ]),
    )
    .execute()
  const [user, ...others] = users
  if (!user) throw new CommandError([`the owner has no ${isTest ? 'test' : 'live'} user ${name}`])
  if (others.length > 0) {
    throw new CommandError([`${name} matches several users: use ${users.map(({ id }) => id).join(' or ')}`])
  }
  return user
}

/** Throws a `CommandError` if the user was merged into another one, which has to be used instead. */
export function refuseMerged({ id, mergedInto }: NamedUser): void {
  if (mergedInto !== null) throw new CommandError([`user ${id} was merged into ${mergedInto}: use that one`])
}
