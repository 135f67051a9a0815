import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** What the workerd processes that `parent` started hold, in bytes; null where the system has no /proc to tell. */
export function runtimeMemory(parent: number): number | null {
  if (!existsSync('/proc/self/status')) return null
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statusOf(pid))
    .filter((status) => /^Name:\s*workerd$/m.test(status) && status.includes(`\nPPid:\t${parent}\n`))
  return statuses.reduce((sum, status) => sum + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024, 0)
}

/** Empty if the process has ended meanwhile. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
