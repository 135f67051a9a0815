import { isAbsolute, relative } from 'node:path'

/**
 * A file's path as a person would type it: from the folder of the person's shell, or whole if it is not below that. npm runs us in
 * the project's folder, wherever the shell was.
 */
export function shownPath(path: string): string {
  const near = relative(process.env.INIT_CWD ?? process.cwd(), path)
  return near.startsWith('..') || isAbsolute(near) ? path : near
}
