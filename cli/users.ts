import { email } from '../lib/http/user-fields.ts'
import { choose, parseArguments } from './arguments.ts'
import { CommandError, type CommandResult, type PrintLine, required } from './command.ts'
import { type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { erasePerson } from './users/erase.ts'
import { exportPerson } from './users/export.ts'
import { mergeUsers } from './users/merge.ts'
import { findUsers, readMode, USERS_OPTIONS, type Users, WHICH_MODE } from './users/named-user.ts'
import type { PersonName } from './users/person.ts'
import { setEmail } from './users/set-email.ts'
import { runSignOut } from './users/sign-out.ts'

const USAGE = [
  'usage: paywall users merge FROM INTO --owner EMAIL',
  'usage: paywall users set-email USER NEW --owner EMAIL',
  'usage: paywall users sign-out USER --owner EMAIL, or --paywall ID instead of --owner',
  'usage: paywall users sign-out --minted-by KEY --owner EMAIL, or --all instead of --minted-by',
  'usage: paywall users export USER --owner EMAIL',
  'usage: paywall users erase USER --owner EMAIL --yes',
  WHICH_MODE,
  "USER is a user's id, e-mail address or external id",
]

const PERSON_USAGE = [
  'usage: paywall users export USER --owner EMAIL',
  'usage: paywall users erase USER --owner EMAIL --yes',
  WHICH_MODE,
]

const VERBS: Record<string, (args: string[], printLine: PrintLine) => Promise<CommandResult>> = {
  merge: (args) => runWithTwoArguments(args, (db, users, from, into) => mergeUsers(db, users, { from, into })),
  'set-email': (args) =>
    runWithTwoArguments(args, (db, users, name, address) => setEmail(db, users, { name, email: address })),
  'sign-out': runSignOut,
  export: runExport,
  erase: runErase,
}

/** `paywall users`: operations on an owner's users that the API does not offer. */
export async function runUsers([verb, ...args]: string[], printLine: PrintLine): Promise<CommandResult> {
  return choose(verb, VERBS, USAGE)(args, printLine)
}

async function runWithTwoArguments(
  args: string[],
  change: (
    db: Database,
    users: Users & { ownerEmail: string },
    first: string,
    second: string,
  ) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { values, positionals } = parseArguments({ args, allowPositionals: true, options: USERS_OPTIONS }, USAGE)
  const [first, second, ...rest] = positionals
  if (!values.owner || !first || !second || rest.length > 0) throw new CommandError(USAGE)
  const scope = { ownerEmail: email.parse(values.owner), mode: readMode(values, USAGE) }
  enterLocalWorld()
  return withDatabase(required('DATABASE_URL'), async (db) =>
    change(db, { ...(await findUsers(db, scope)), ownerEmail: scope.ownerEmail }, first, second),
  )
}

async function runExport(args: string[]): Promise<CommandResult> {
  const person = readPersonName(parseArguments({ args, options: USERS_OPTIONS, allowPositionals: true }, PERSON_USAGE))
  enterLocalWorld()
  const json = await withDatabase(required('DATABASE_URL'), (db) => exportPerson(db, person))
  return { text: JSON.stringify(json, null, 2), json }
}

async function runErase(args: string[], printLine: PrintLine): Promise<CommandResult> {
  const options = { ...USERS_OPTIONS, yes: { type: 'boolean' } } as const
  const parsed = parseArguments({ args, options, allowPositionals: true }, PERSON_USAGE)
  const person = readPersonName(parsed)
  enterLocalWorld()
  return erasePerson(required('DATABASE_URL'), person, { yes: parsed.values.yes === true, printLine })
}

function readPersonName({
  values,
  positionals,
}: {
  values: { owner?: string; test?: boolean; live?: boolean }
  positionals: string[]
}): PersonName {
  const [name, ...rest] = positionals
  if (!name || !values.owner || rest.length > 0) throw new CommandError(PERSON_USAGE)
  return { name, ownerEmail: email.parse(values.owner), mode: readMode(values, PERSON_USAGE) }
}
