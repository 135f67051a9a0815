import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '../..')

/** What a git command prints, without the line's end. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trimEnd()
}

/** The commit that this tree is at, `-dirty` if files differ from it. */
export const hereRef = (): string => git('describe', '--always', '--dirty', '--abbrev=7', '--exclude=*')
