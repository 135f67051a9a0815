import { AsyncLocalStorage } from 'node:async_hooks'
import { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { killOnParentExit } from '../on-parent-exit.ts'

const owner = new AsyncLocalStorage<(child: ChildProcess) => void>()

subscribe('child_process', (message) => {
  const child = message && typeof message === 'object' && 'process' in message ? message.process : undefined
  const onSpawn = owner.getStore()
  // Outside the storage: processes that `onSpawn` starts are our own.
  if (onSpawn && child instanceof ChildProcess) child.once('spawn', () => owner.exit(onSpawn, child))
})

/**
 * Runs `start` and calls `onSpawn` with every process that it starts, now or later, for a library that does not expose its
 * processes. All of them are killed when this process exits.
 */
export function watchingSpawns<T>(onSpawn: (child: ChildProcess) => void, start: () => T): T {
  return owner.run((child) => {
    if (child.pid) child.once('exit', killOnParentExit(child.pid, 'KILL'))
    onSpawn(child)
  }, start)
}
