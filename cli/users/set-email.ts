import pg from 'pg'
import { newEmail } from '../../lib/http/user-fields.ts'
import { CommandError, type CommandResult } from '../command.ts'
import type { Database } from '../database.ts'
import { findUser, refuseMerged, type Users } from './named-user.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * Changes a user's e-mail address. Throws a `CommandError` if the new one is invalid, or belongs to another user of the same owner and
 * mode: the two may be merged.
 */
export async function setEmail(
  db: Database,
  users: Users & { ownerEmail: string },
  { name, email: written }: { name: string; email: string },
): Promise<CommandResult> {
  const { data: email } = newEmail.safeParse(written)
  if (email === undefined) throw new CommandError([`${written} is not an e-mail address`])
  const user = await findUser(db, users, name)
  refuseMerged(user)
  try {
    await db.updateTable('users').set({ email }).where('id', '=', user.id).execute()
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error
    const { id } = await findUser(db, users, email)
    const options = `--owner ${users.ownerEmail} --${users.isTest ? 'test' : 'live'}`
    throw new CommandError([
      `${email} belongs to user ${id}: if that is the same person, run paywall users merge ${id} ${user.id} ${options}`,
    ])
  }
  return { text: `User ${user.id} now has the e-mail address ${email}.`, json: { user: user.id, email } }
}
