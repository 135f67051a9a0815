import { isAbsolute, relative } from 'node:path'

/**
 * A file's path relative to the user's shell, or absolute if it is not below that folder. npm runs us in the project's folder, wherever
 * the shell was.
 */
export function shownPath(path: string): string {
  const near = relative(process.env.INIT_CWD ?? process.cwd(), path)
  return near.startsWith('..') || isAbsolute(near) ? path : near
}
