import { parseArgs } from 'node:util'
import { email } from '../lib/http/user-fields.ts'
import { CommandError, enterLocalWorld, required } from './command.ts'
import { withDatabase } from './database.ts'
import { runUsersData } from './users/data.ts'
import { mergeUsers } from './users/merge.ts'
import { findOwner } from './users/named-user.ts'
import { setEmail } from './users/set-email.ts'
import { runSignOut } from './users/sign-out.ts'

const USAGE = [
  'say users merge FROM INTO --owner EMAIL, or users set-email USER NEW --owner EMAIL',
  'or users sign-out USER --owner EMAIL, or users sign-out USER --paywall ID',
  'or users export USER --owner EMAIL, or users erase USER --owner EMAIL --yes',
  "a user is named by its id, its e-mail address or the owner's own id of it",
]

/** `paywall users`: what an owner cannot do by the API about users of its own. */
export async function runUsers(args: string[]): Promise<void> {
  if (args[0] === 'export' || args[0] === 'erase') return runUsersData(args)
  if (args[0] === 'sign-out') return runSignOut(args)
  const { positionals, owner: written } = read(args)
  const [what, first, second, ...rest] = positionals
  if (!written || !first || !second || rest.length > 0 || !['merge', 'set-email'].includes(what ?? '')) {
    throw new CommandError(USAGE)
  }
  enterLocalWorld()
  const done = await withDatabase(required('DATABASE_URL'), async (db) => {
    const owner = { email: email.parse(written), id: await findOwner(db, email.parse(written)) }
    return what === 'merge'
      ? mergeUsers(db, owner.id, { from: first, into: second })
      : setEmail(db, owner, { name: first, email: second })
  })
  console.log(done)
}

function read(args: string[]) {
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { owner: { type: 'string' } } })
    return { positionals, owner: values.owner }
  } catch (cause) {
    throw new CommandError(USAGE, { cause })
  }
}
