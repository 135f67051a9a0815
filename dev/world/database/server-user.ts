import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The user that a server process runs as: options of `spawn`. Empty: the current user. */
export interface ServerUser {
  uid?: number
  gid?: number
}

/** Postgres refuses to run as root, so root runs it as the system's `postgres` user, which is created if missing. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  if (!hasUser('postgres')) {
    const arguments_ = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']
    execFileSync('useradd', arguments_, { stdio: ['ignore', 'ignore', 'pipe'] })
  }
  return { uid: findUserId('-u'), gid: findUserId('-g') }
}

const findUserId = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

function hasUser(name: string): boolean {
  try {
    execFileSync('id', ['-u', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Whether every user can reach `path`: all its parent folders are traversable. */
export function isReachable(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** A folder that the server user can reach, used instead of a `path` below a closed folder such as /root. */
export function reachableStandIn(path: string, purpose: string): string {
  const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16)
  return join('/var/tmp', `paywall-${purpose}-${name}`)
}

/** Creates an empty folder owned by the server user. Deletes what was there before. */
export function freshFolder(path: string, user: ServerUser): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  mkdirSync(path, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
}

/** The folder itself if the server user can reach it, otherwise a copy that it can reach, made once. */
export function reachableCopy(folder: string, purpose: string, user: ServerUser): string {
  if (user.uid === undefined || isReachable(folder)) return folder
  const copy = reachableStandIn(folder, purpose)
  if (existsSync(copy)) {
    // /var/tmp is world-writable: never execute what another user put there.
    if (lstatSync(copy).uid !== 0) throw new Error(`${copy} does not belong to root: remove it`)
    return copy
  }
  const unfinished = `${copy}.${process.pid}`
  mkdirSync(unfinished, { mode: 0o700 })
  cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true, mode: 0 })
  execFileSync('chmod', ['-R', 'a+rX', unfinished])
  chmodSync(unfinished, 0o755)
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
