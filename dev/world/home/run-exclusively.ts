const pending = new WeakMap<object, Promise<unknown>>()

/**
 * A mutex: runs `act` after all earlier calls for the same `thing` have ended, even if they failed. Two concurrent acts at one
 * emulator would mix up their webhooks, because it holds back those of both, and each would count the other's events as its own.
 */
export function runExclusively<Result>(thing: object, act: () => Promise<Result>): Promise<Result> {
  const done = (pending.get(thing) ?? Promise.resolve()).then(act, act)
  pending.set(thing, done)
  return done
}
