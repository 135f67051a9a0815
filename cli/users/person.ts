import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError } from '../command.ts'
import type { Database } from '../database.ts'

/** Who is meant: an address, and the owner for whom this service keeps what it has of that person. */
export interface PersonName {
  email: string
  ownerEmail: string
}

/** A person as one owner's paywalls know it. */
export interface Person extends PersonName {
  /** All of that owner's. */
  paywallIds: string[]
  /**
   * Its user, and the anonymous ones that were merged into it. None, if all that has the address was written by guests, such as
   * a ticket.
   */
  userIds: string[]
}

/** Throws a `CommandError` where the arguments are not `EMAIL --owner EMAIL`, with or without `--yes`. */
export function readPersonArguments(args: string[]): PersonName & { yes: boolean } {
  const { values, positionals } = parse(args)
  const [who, ...rest] = positionals
  if (!who || rest.length > 0) throw new CommandError(['whose data? Give one e-mail address'])
  if (!values.owner) throw new CommandError(['of which owner? Give --owner and the e-mail address of its paywall file'])
  return { email: email.parse(who), ownerEmail: email.parse(values.owner), yes: values.yes === true }
}

function parse(args: string[]) {
  try {
    const options = { owner: { type: 'string' }, yes: { type: 'boolean' } } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CommandError([error instanceof Error ? error.message : String(error)], { cause: error })
  }
}

/** Throws a `CommandError` if there is no such owner. */
export async function findPerson(db: Database, { email, ownerEmail }: PersonName): Promise<Person> {
  const { rows } = await sql<{ paywall_ids: string[]; user_ids: string[] }>`
    with owned as (
      select p.id from paywalls p join owners o on o.id = p.owner_id where o.email = ${ownerEmail}
    ), known as (
      select distinct u.id from users u join members m on m.user_id = u.id
      where u.email = ${email} and m.paywall_id in (select id from owned)
    )
    select
      array(select id from owned order by id) as paywall_ids,
      array(
        select id from known
        union
        select m.user_id from members m
        where m.merged_into in (select id from known) and m.paywall_id in (select id from owned)
        order by 1) as user_ids
    from owners o where o.email = ${ownerEmail}`.execute(db)
  const [found] = rows
  if (!found) throw new CommandError([`there is no owner ${ownerEmail}`])
  return { email, ownerEmail, paywallIds: found.paywall_ids, userIds: found.user_ids }
}
