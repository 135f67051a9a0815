import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The resident memory of the workerd processes started by `parent`, in bytes; null on systems without /proc. */
export function runtimeMemory(parent: number): number | null {
  if (!existsSync('/proc/self/status')) return null
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readStatus(pid))
    .filter((status) => /^Name:\s*workerd$/m.test(status) && status.includes(`\nPPid:\t${parent}\n`))
  return statuses.reduce((sum, status) => sum + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024, 0)
}

/** Empty if the process has exited. */
function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
