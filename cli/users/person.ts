import { sql } from 'kysely'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'
import { findUsers, type Mode, type UsersName } from './named-user.ts'

/** Names a person: an e-mail address, or a user's id or external id, within an owner and mode. */
export interface PersonName extends UsersName {
  name: string
}

/** All that identifies a person within an owner and mode. */
export interface Person {
  mode: Mode
  /** Null if unknown. */
  email: string | null
  /** All of that owner and mode. */
  paywallIds: string[]
  /** The person's user and those merged into it. Empty if only guests used the address, for example in a ticket. */
  userIds: string[]
}

/** Throws a `CommandError` if the owner does not exist, or the name matches several users. */
export async function findPerson(db: Database, { name, ...scope }: PersonName): Promise<Person> {
  const { ownerId, isTest } = await findUsers(db, scope)
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
    throw new CommandError([`${name} matches several users: use ${users.map(({ id }) => id).join(' or ')}`])
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

/** The error for a person about whom nothing is stored. */
export const noData = ({ name, ownerEmail, mode }: PersonName) =>
  new CommandError([`owner ${ownerEmail} has no data about ${name}${mode ? ` in ${mode} mode` : ''}`])
