import { spawn } from 'node:child_process'

/**
 * Has `pid` told to end when this process is gone, even if this process was killed without a chance to say so.
 * Returns how to take that back, to be called once `pid` has ended by itself.
 */
export function lastWill(pid: number, signal: 'INT' | 'KILL'): () => void {
  // The shell waits on a pipe of ours, which the system closes when we end. Its process group is its own, so Ctrl-C does
  // not reach it.
  const script = `read -r _; kill -${signal} ${pid}`
  const watcher = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
