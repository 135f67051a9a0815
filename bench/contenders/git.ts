import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '../..')

/** The trimmed output of a git command. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trimEnd()
}

/** The commit of this tree, with `-dirty` if it has uncommitted changes. */
export const currentCommit = (): string => git('describe', '--always', '--dirty', '--abbrev=7', '--exclude=*')
