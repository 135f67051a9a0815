import { SPREADS_MS } from './store.ts'

/** Runs work when all work before it is over. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * One piece of work at a time under a name: in all tabs of an origin where there are Web Locks, which is on pages that came over TLS or
 * from the machine itself, else in this tab. The lock is held until other tabs have what was written; whoever asked for the work does
 * not wait for that.
 */
export function oneAtATime(name: string): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const locks = globalThis.navigator?.locks
    if (locks) {
      return new Promise((resolve, reject) => {
        const turn = async () => {
          resolve(await work())
          await new Promise((over) => setTimeout(over, SPREADS_MS))
        }
        locks.request(name, turn).catch(reject)
      })
    }
    const next = last.then(work, work)
    last = next
    return next
  }
}
