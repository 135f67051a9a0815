import { AsyncLocalStorage } from 'node:async_hooks'
import { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { killOnParentExit } from '../on-parent-exit.ts'

const owner = new AsyncLocalStorage<(child: ChildProcess) => void>()

subscribe('child_process', (message) => {
  const child = message && typeof message === 'object' && 'process' in message ? message.process : undefined
  const onSpawn = owner.getStore()
  // Outside the storage, for what is spawned because of this child is our own.
  if (onSpawn && child instanceof ChildProcess) child.once('spawn', () => owner.exit(onSpawn, child))
})

/**
 * Runs `start` and gives `onSpawn` every process that it starts, then and later, for a library that keeps its processes
 * to itself. None of them outlives this process.
 */
export function watchingSpawns<T>(onSpawn: (child: ChildProcess) => void, start: () => T): T {
  return owner.run((child) => {
    if (child.pid) child.once('exit', killOnParentExit(child.pid, 'KILL'))
    onSpawn(child)
  }, start)
}
