/**
 * What a tab writes reaches the `localStorage` of another a moment after the lock does. So the next piece of work waits, in milliseconds;
 * whoever asked for this one does not.
 */
const MOMENT_MS = 100

/** Runs work when all work before it is over. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * One piece of work at a time under a name: in all tabs of an origin where there are Web Locks, which is on pages that came over TLS or
 * from the machine itself, else in this tab.
 */
export function oneAtATime(name: string): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const locks = globalThis.navigator?.locks
    if (locks) {
      return new Promise((resolve, reject) => {
        const turn = async () => {
          resolve(await work())
          await new Promise((over) => setTimeout(over, MOMENT_MS))
        }
        locks.request(name, turn).catch(reject)
      })
    }
    const next = last.then(work, work)
    last = next
    return next
  }
}
