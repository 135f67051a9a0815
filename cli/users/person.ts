import { sql } from 'kysely'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'
import { findUsers, type Mode, type UsersName } from './named-user.ts'

/**
 * Who is meant: an e-mail address, or the id or external id of a user, and among whose users: this service keeps what it has of a
 * person for that owner and mode.
 */
export interface PersonName extends UsersName {
  name: string
}

/** A person as one owner's test paywalls know it, or its live ones. */
export interface Person {
  mode: Mode
  /** Null if nobody knows one. */
  email: string | null
  /** All of that owner and mode. */
  paywallIds: string[]
  /**
   * Its user, and those that were merged into it. None, if all that has the address was written by guests, such as a ticket.
   */
  userIds: string[]
}

/** Throws a `CommandError` if there are no such users, or the name is that of several. */
export async function findPerson(db: Database, { name, ...whose }: PersonName): Promise<Person> {
  const { ownerId, isTest } = await findUsers(db, whose)
  const paywalls = await db
    .selectFrom('paywalls')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_test', '=', isTest)
    .execute()
  const address = email.parse(name)
  const { rows: users } = await sql<{ id: string; email: string | null }>`
    select distinct into_user.id, into_user.email
    from users u
    left join members m on m.user_id = u.id and m.merged_into is not null
    join users into_user on into_user.id = coalesce(m.merged_into, u.id)
    where u.owner_id = ${ownerId} and u.is_test = ${isTest}
      and (u.email = ${address} or u.external_id = ${name} or u.id::text = ${address})`.execute(db)
  if (users.length > 1) {
    throw new CommandError([`${name} names several users: say ${users.map(({ id }) => id).join(' or ')}`])
  }
  const [user] = users
  const merged = user
    ? await db.selectFrom('members').select('user_id').where('merged_into', '=', user.id).execute()
    : []
  return {
    mode: isTest ? 'test' : 'live',
    email: user ? user.email : address.includes('@') ? address : null,
    paywallIds: paywalls.map(({ id }) => id),
    userIds: user ? [...new Set([user.id, ...merged.map(({ user_id }) => user_id)])] : [],
  }
}

/** What there is to say where nothing is found. */
export const noData = ({ name, ownerEmail, mode }: PersonName) =>
  new CommandError([`owner ${ownerEmail} has nothing of ${name}${mode ? ` in ${mode} mode` : ''}`])
