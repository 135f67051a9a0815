import { readFile } from 'node:fs/promises'
import { CommandError, pathArgument } from './command.ts'

/** Reads the file that an argument names. Throws a `CommandError` if it cannot be read. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(pathArgument(path), 'utf8')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error && error.code === 'ENOENT' ? 'no such file' : error.message
    throw new CommandError([`${path} cannot be read: ${reason}`], { cause: error })
  }
}
