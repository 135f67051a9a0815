import { spawn } from 'node:child_process'

/**
 * Sends `pid` a signal when this process exits, even if it is killed with SIGKILL. Returns a function that cancels this, to be
 * called once `pid` has exited by itself.
 */
export function killOnParentExit(pid: number, signal: 'INT' | 'KILL'): () => void {
  return runOnParentExit(`kill -${signal} ${pid}`)
}

/** Deletes a folder when this process exits, however it ends. Returns a function that cancels this. */
export function removeOnParentExit(folder: string): () => void {
  return runOnParentExit('rm -rf -- "$1"', folder)
}

/** Runs a shell command when this process exits. */
function runOnParentExit(command: string, ...args: string[]): () => void {
  // The shell reads from a pipe that the system closes when we exit. It is in its own process group, so Ctrl-C does not
  // reach it.
  const script = `read -r _; ${command}`
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
