import { SPREADS_MS } from './store.ts'

/** Runs work when all work before it is over. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * One piece of work at a time under a name: in all tabs of an origin where there are Web Locks, which is on pages that came over TLS or
 * from the machine itself, else in this tab; so in frames that may keep nothing. The lock is held until other tabs have what was
 * written; whoever asked for the work does not wait for that.
 */
export function oneAtATime(name: string): OneAtATime {
  const inThisTab = oneAtATimeHere()
  return (work) => {
    const locks = globalThis.navigator?.locks
    if (!locks) return inThisTab(work)
    return new Promise((resolve, reject) => {
      let isGranted = false
      const turn = async () => {
        isGranted = true
        resolve(await work())
        await new Promise((over) => setTimeout(over, SPREADS_MS))
      }
      locks.request(name, turn).catch((error: unknown) => (isGranted ? reject(error) : resolve(inThisTab(work))))
    })
  }
}

function oneAtATimeHere(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
