import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../../../cli/command.ts'

/** A server whose world was killed ends by itself: see `lastWill`. This is more than it needs. */
const TIMEOUT_SECONDS = 10

/** Waits until no server uses the data directory. A server that stays belongs to another world: that is refused. */
export async function waitUntilUnused(data: string): Promise<void> {
  const lockFile = join(data, 'postmaster.pid')
  const deadline = Date.now() + TIMEOUT_SECONDS * 1000
  while (existsSync(lockFile)) {
    const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10)
    if (!isRunning(pid)) return
    if (!isPostgres(pid)) return rmSync(lockFile, { force: true }) // its id went to another process: Postgres would not see that
    if (Date.now() > deadline)
      throw new CommandError([`another local world is using ${data} (Postgres is process ${pid})`])
    await delay(50)
  }
}

/** Whether there is such a process; another user's counts, too. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process is a Postgres that is not a mere entry in the process table. Assumed where that cannot be seen. */
function isPostgres(pid: number): boolean {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return true
  const text = readFileSync(status, 'utf8')
  return /^Name:\s*postgres$/m.test(text) && !/^State:\s*Z/m.test(text)
}
