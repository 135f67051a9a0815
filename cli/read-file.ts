import { readFile } from 'node:fs/promises'
import { type PaywallFile, readPaywallFile } from './paywall-file/file.ts'
import { Refusal } from './refusal.ts'
import { typedPath } from './surroundings.ts'

/** The paywall file that a command was given. */
export async function readFileArgument(args: string[]): Promise<PaywallFile> {
  const [path, ...rest] = args
  if (path === undefined) throw new Refusal(['which file? Give the path of a paywall file'])
  if (rest.length > 0) throw new Refusal([`one file at a time: ${rest.join(' ')} is too much`])
  const read = await readPaywallFile(await textOf(path), process.env)
  if ('errors' in read) throw new Refusal(read.errors.map((error) => `${path}: ${error}`))
  return read.file
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(typedPath(path), 'utf8')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error && error.code === 'ENOENT' ? 'no such file' : error.message
    throw new Refusal([`${path} cannot be read: ${reason}`], { cause: error })
  }
}
