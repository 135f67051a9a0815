import { PROPAGATION_MS } from './store.ts'

/** Runs work after all earlier work has finished. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * A mutex by name. With Web Locks, which need TLS or localhost, it spans all tabs of the origin; otherwise, and in frames without storage,
 * only this tab. The lock is held until other tabs can read what was written; the caller does not wait for that.
 */
export function createMutex(name: string): Mutex {
  const inThisTab = createTabMutex()
  return (work) => {
    const locks = globalThis.navigator?.locks
    if (!locks) return inThisTab(work)
    return new Promise((resolve, reject) => {
      let isGranted = false
      const task = async () => {
        isGranted = true
        resolve(await work())
        await new Promise((over) => setTimeout(over, PROPAGATION_MS))
      }
      locks.request(name, task).catch((error: unknown) => (isGranted ? reject(error) : resolve(inThisTab(work))))
    })
  }
}

function createTabMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
