import { readFile } from 'node:fs/promises'
import { CommandError, pathArgument } from './command.ts'

/** The text of the one file that the arguments name, by its path as it was typed. Throws a `CommandError` if there is none. */
export async function readTextArgument([path, ...rest]: string[]): Promise<{ path: string; text: string }> {
  if (path === undefined) throw new CommandError(['which file? Give the path of a paywall file'])
  if (rest.length > 0) throw new CommandError([`one file at a time: ${rest.join(' ')} is too much`])
  try {
    return { path, text: await readFile(pathArgument(path), 'utf8') }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error && error.code === 'ENOENT' ? 'no such file' : error.message
    throw new CommandError([`${path} cannot be read: ${reason}`], { cause: error })
  }
}
