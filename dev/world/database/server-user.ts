import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Whom a server process runs as: an option of `spawn`. Empty: as ourselves. */
export interface ServerUser {
  uid?: number
  gid?: number
}

/** Postgres refuses to run as root: then it runs as the system's `postgres` user, made if it is missing. */
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

/** Whether every user of the machine may read below `path`: each folder above it lets others through. */
export function isReachable(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** A folder that the server user reaches, in place of `path` where a folder above that is closed, such as /root. */
export function reachableStandIn(path: string, purpose: string): string {
  const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16)
  return join('/var/tmp', `paywall-${purpose}-${name}`)
}

/** An empty folder that belongs to the server user. What stood there before is gone. */
export function freshFolder(path: string, user: ServerUser): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  mkdirSync(path, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
}

/** The folder itself if the server user reaches it, else a copy that it does; the copy is made once. */
export function reachableCopy(folder: string, purpose: string, user: ServerUser): string {
  if (user.uid === undefined || isReachable(folder)) return folder
  const copy = reachableStandIn(folder, purpose)
  if (existsSync(copy)) {
    // Anyone may write to /var/tmp; what another user has put there is not run.
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
