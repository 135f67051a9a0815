import { sql } from 'kysely'
import { CommandError, type CommandResult } from '../command.ts'
import { activateRelease, type Database } from '../database.ts'
import { findUser, type NamedUser, refuseMerged, type Users } from './named-user.ts'

/**
 * Merges user `from` into user `into` of the same owner and mode, on all their paywalls, in one transaction: see
 * lib/merging/merge-users.sql. Throws a `CommandError` if either is not found or was merged before.
 */
export async function mergeUsers(
  db: Database,
  users: Users,
  names: { from: string; into: string },
): Promise<CommandResult> {
  return db.transaction().execute(async (transaction) => {
    await activateRelease(transaction)
    const [from, into] = await lockBoth(transaction, users, names)
    const members = await transaction
      .selectFrom('members')
      .select('paywall_id')
      .where('user_id', '=', from.id)
      .orderBy('paywall_id')
      .execute()
    await sql`select merge_users(${from.id}, ${into.id})`.execute(transaction)
    const paywalls = members.map(({ paywall_id: id }) => id)
    return {
      text: `Merged user ${from.id} into ${into.id} on paywall ${paywalls.join(', ')}.`,
      json: { from: from.id, into: into.id, paywalls },
    }
  })
}

/** Locks both users in the order of their ids, and reads them again under the lock. */
async function lockBoth(
  db: Database,
  users: Users,
  { from, into }: { from: string; into: string },
): Promise<[NamedUser, NamedUser]> {
  const find = async () => [await findUser(db, users, from), await findUser(db, users, into)] as const
  const found = (await find()).map(({ id }) => id)
  await db.selectFrom('users').select('id').where('id', 'in', found).orderBy('id').forNoKeyUpdate().execute()
  const [locked, other] = await find()
  for (const user of [locked, other]) {
    if (!found.includes(user.id)) throw new CommandError([`user ${user.id} was changed at the same time: try again`])
    refuseMerged(user)
  }
  if (locked.id === other.id) throw new CommandError([`${from} and ${into} are the same user, ${locked.id}`])
  return [locked, other]
}
