import { CommandError, enterLocalWorld, required } from './command.ts'
import { withDatabase } from './database.ts'
import { erasePerson } from './users/erase.ts'
import { exportPerson } from './users/export.ts'
import { readPersonArguments } from './users/person.ts'

/** `paywall users export|erase EMAIL --owner EMAIL`: all that is kept of a person, and its end. */
export async function runUsers([verb, ...args]: string[]): Promise<void> {
  if (verb !== 'export' && verb !== 'erase') {
    throw new CommandError(['say users export EMAIL --owner EMAIL, or users erase EMAIL --owner EMAIL --yes'])
  }
  const { yes, ...person } = readPersonArguments(args)
  enterLocalWorld()
  const url = required('DATABASE_URL')
  if (verb === 'erase') return erasePerson(url, person, yes)
  console.log(JSON.stringify(await withDatabase(url, (db) => exportPerson(db, person)), null, 2))
}
