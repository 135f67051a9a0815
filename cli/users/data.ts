import { parseArgs } from 'node:util'
import { email } from '../../lib/http/user-fields.ts'
import { CommandError, enterLocalWorld, required } from '../command.ts'
import { withDatabase } from '../database.ts'
import { erasePerson } from './erase.ts'
import { exportPerson } from './export.ts'
import type { PersonName } from './person.ts'

const USAGE = 'say users export USER --owner EMAIL, or users erase USER --owner EMAIL --yes'

/** `paywall users export|erase USER --owner EMAIL`: all that is kept of a person, and its end. */
export async function runUsersData(args: string[]): Promise<void> {
  const { verb, yes, person } = read(args)
  enterLocalWorld()
  const url = required('DATABASE_URL')
  if (verb === 'erase') return erasePerson(url, person, yes)
  console.log(JSON.stringify(await withDatabase(url, (db) => exportPerson(db, person)), null, 2))
}

function read(args: string[]): { verb: string; yes: boolean; person: PersonName } {
  try {
    const options = { owner: { type: 'string' }, yes: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [verb, name, ...rest] = positionals
    if (!verb || !name || !values.owner || rest.length > 0) throw new CommandError([USAGE])
    return { verb, yes: values.yes === true, person: { name, ownerEmail: email.parse(values.owner) } }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError([USAGE], { cause })
  }
}
