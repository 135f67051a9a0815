import { spawn } from 'node:child_process'

/**
 * Has `pid` told to end when this process is gone, even if this process was killed without a chance to say so.
 * Returns how to take that back, to be called once `pid` has ended by itself.
 */
export function killOnParentExit(pid: number, signal: 'INT' | 'KILL'): () => void {
  return runOnParentExit(`kill -${signal} ${pid}`)
}

/** Has a folder removed when this process is gone, however it ends. Returns how to take that back. */
export function removeOnParentExit(folder: string): () => void {
  return runOnParentExit('rm -rf -- "$1"', folder)
}

/** Has a shell command run when this process is gone. */
function runOnParentExit(command: string, ...args: string[]): () => void {
  // The shell waits on a pipe of ours, which the system closes when we end. Its process group is its own, so Ctrl-C does
  // not reach it.
  const script = `read -r _; ${command}`
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
