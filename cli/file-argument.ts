import { readFile } from 'node:fs/promises'
import { CommandError, pathArgument } from './command.ts'

/** Reads the one file that the arguments name. Throws a `CommandError` unless there is exactly one that can be read. */
export async function readTextArgument([path, ...rest]: string[]): Promise<{ path: string; text: string }> {
  if (path === undefined) throw new CommandError(['no file given: name a paywall file'])
  if (rest.length > 0) throw new CommandError([`only one file can be given: unexpected ${rest.join(' ')}`])
  try {
    return { path, text: await readFile(pathArgument(path), 'utf8') }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error && error.code === 'ENOENT' ? 'no such file' : error.message
    throw new CommandError([`${path} cannot be read: ${reason}`], { cause: error })
  }
}
