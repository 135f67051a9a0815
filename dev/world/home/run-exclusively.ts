const last = new WeakMap<object, Promise<unknown>>()

/**
 * Does something to `thing` once all that was to be done to it before has ended, well or not. Two acts at one emulator would get
 * each other's webhooks, since it holds back those of all, and each would count the other's events as its own.
 */
export function runExclusively<Result>(thing: object, act: () => Promise<Result>): Promise<Result> {
  const done = (last.get(thing) ?? Promise.resolve()).then(act, act)
  last.set(thing, done)
  return done
}
