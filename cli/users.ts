import { type CommandResult, type PrintLine, required } from './command.ts'
import { type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { erasePerson } from './users/erase.ts'
import { exportPerson } from './users/export.ts'
import { mergeUsers } from './users/merge.ts'
import { findUsers, type Users, type UsersOptions, usersName } from './users/named-user.ts'
import { setEmail } from './users/set-email.ts'
import { findListed, showUser } from './users/show.ts'

/** `paywall users find` */
export const find = (text: string, options: UsersOptions): Promise<CommandResult> =>
  withUsers(options, (db, users) => findListed(db, users, text))

/** `paywall users show` */
export const show = (name: string, options: UsersOptions): Promise<CommandResult> =>
  withUsers(options, (db, users) => showUser(db, users, name))

/** `paywall users merge` */
export const merge = (from: string, into: string, options: UsersOptions): Promise<CommandResult> =>
  withUsers(options, (db, users) => mergeUsers(db, users, { from, into }))

/** `paywall users set-email` */
export const changeEmail = (name: string, to: string, options: UsersOptions): Promise<CommandResult> =>
  withUsers(options, (db, users) => setEmail(db, users, { name, email: to }))

/** `paywall users export` */
export async function exportUser(name: string, options: UsersOptions): Promise<CommandResult> {
  enterLocalWorld()
  const json = await withDatabase(required('DATABASE_URL'), (db) => exportPerson(db, { name, ...usersName(options) }))
  return { text: JSON.stringify(json, null, 2), json }
}

/** `paywall users erase` */
export async function eraseUser(
  name: string,
  { yes, ...options }: UsersOptions & { yes?: true | undefined },
  printLine: PrintLine,
): Promise<CommandResult> {
  enterLocalWorld()
  return erasePerson(required('DATABASE_URL'), { name, ...usersName(options) }, { yes: yes === true, printLine })
}

async function withUsers(
  options: UsersOptions,
  change: (db: Database, users: Users & { ownerEmail: string }) => Promise<CommandResult>,
): Promise<CommandResult> {
  const name = usersName(options)
  enterLocalWorld()
  return withDatabase(required('DATABASE_URL'), async (db) =>
    change(db, { ...(await findUsers(db, name)), ownerEmail: name.ownerEmail }),
  )
}
