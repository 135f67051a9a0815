import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'

/** A user of an owner. `mergedInto`: who has all that it had, if it was merged into another one. */
export interface NamedUser {
  id: string
  email: string | null
  external_id: string | null
  mergedInto: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id of the owner of an e-mail address. Throws a `CommandError` if there is none. */
export async function findOwner(db: Database, email: string): Promise<string> {
  const owner = await db.selectFrom('owners').select('id').where('email', '=', email).executeTakeFirst()
  if (!owner) throw new CommandError([`there is no owner ${email}`])
  return owner.id
}

/**
 * The user whom an owner names by its id, its e-mail address or the owner's own external id. Throws a `CommandError` if the
 * owner has none of that name, or several, since an external id may look like another user's address or id.
 */
export async function findUser(db: Database, ownerId: string, name: string): Promise<NamedUser> {
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
    .where(({ eb, or }) =>
      or([
        eb('email', '=', email.parse(name)),
        eb('external_id', '=', name),
        ...(UUID.test(name) ? [eb('id', '=', name)] : []),
      ]),
    )
    .execute()
  const [user, ...others] = users
  if (!user) throw new CommandError([`the owner has no user ${name}`])
  if (others.length > 0) {
    throw new CommandError([`${name} names several users: say ${users.map(({ id }) => id).join(' or ')}`])
  }
  return user
}

/** Throws a `CommandError` if the user was merged into another one: then that one is to be named. */
export function refuseMerged({ id, mergedInto }: NamedUser): void {
  if (mergedInto !== null) throw new CommandError([`user ${id} was merged into ${mergedInto}: name that one`])
}
