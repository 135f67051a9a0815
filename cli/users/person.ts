import { sql } from 'kysely'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'
import { findOwner } from './named-user.ts'

/**
 * Who is meant: an e-mail address, or the id or external id of a user, and the owner for whom this service keeps what it has of
 * that person.
 */
export interface PersonName {
  name: string
  ownerEmail: string
}

/** A person as one owner's paywalls know it. */
export interface Person {
  /** Null if nobody knows one. */
  email: string | null
  /** All of that owner's. */
  paywallIds: string[]
  /**
   * Its user, and those that were merged into it. None, if all that has the address was written by guests, such as a ticket.
   */
  userIds: string[]
}

/** Throws a `CommandError` if there is no such owner, or the name is that of several users. */
export async function findPerson(db: Database, { name, ownerEmail }: PersonName): Promise<Person> {
  const ownerId = await findOwner(db, ownerEmail)
  const paywalls = await db.selectFrom('paywalls').select('id').where('owner_id', '=', ownerId).execute()
  const address = email.parse(name)
  const { rows: users } = await sql<{ id: string; email: string | null }>`
    select distinct into_user.id, into_user.email
    from users u
    left join members m on m.user_id = u.id and m.merged_into is not null
    join users into_user on into_user.id = coalesce(m.merged_into, u.id)
    where u.owner_id = ${ownerId} and (u.email = ${address} or u.external_id = ${name} or u.id::text = ${address})`.execute(
    db,
  )
  if (users.length > 1) {
    throw new CommandError([`${name} names several users: say ${users.map(({ id }) => id).join(' or ')}`])
  }
  const [user] = users
  const merged = user
    ? await db.selectFrom('members').select('user_id').where('merged_into', '=', user.id).execute()
    : []
  return {
    email: user ? user.email : address.includes('@') ? address : null,
    paywallIds: paywalls.map(({ id }) => id),
    userIds: user ? [...new Set([user.id, ...merged.map(({ user_id }) => user_id)])] : [],
  }
}

/** What there is to say where nothing is found. */
export const nothingOf = ({ name, ownerEmail }: PersonName) =>
  new CommandError([`owner ${ownerEmail} has nothing of ${name}`])
