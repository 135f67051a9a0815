import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../../../cli/command.ts'

/** A server whose world was killed shuts down by itself within this time: see `killOnParentExit`. */
const TIMEOUT_SECONDS = 10

/** Waits until no server uses the data directory. Throws if one keeps running: it belongs to another local world. */
export async function waitUntilUnused(data: string): Promise<void> {
  const lockFile = join(data, 'postmaster.pid')
  const deadline = Date.now() + TIMEOUT_SECONDS * 1000
  while (existsSync(lockFile)) {
    const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10)
    if (!isRunning(pid)) return
    if (!isPostgres(pid)) return rmSync(lockFile, { force: true }) // the pid was reused: Postgres would not notice
    if (Date.now() > deadline)
      throw new CommandError([`another local world is using ${data} (Postgres is process ${pid})`])
    await delay(50)
  }
}

/** Whether the process exists, whichever user owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process is a Postgres and not a zombie. Assumed to be one on systems without /proc. */
function isPostgres(pid: number): boolean {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return true
  const text = readFileSync(status, 'utf8')
  return /^Name:\s*postgres$/m.test(text) && !/^State:\s*Z/m.test(text)
}
