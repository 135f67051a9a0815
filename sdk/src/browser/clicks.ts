import { newKey } from '../keys.ts'

/** For how long after a hosted page was opened a click means that page, in milliseconds: the browser is on its way there. */
const ON_THE_WAY_MS = 5_000

/**
 * Opens one hosted page for all clicks that mean the same: a second click gets what the first one opens, and one after a failure
 * tries again under the same Idempotency-Key.
 */
export function samePage<Opened>() {
  let last: { order: string; key: string; opening: Promise<Opened> | null; openedAt: number } | null = null
  return (order: string, open: (key: string) => Promise<Opened>): Promise<Opened> => {
    const isSame = last?.order === order && Date.now() < last.openedAt + ON_THE_WAY_MS
    const attempt = isSame && last ? last : { order, key: newKey(), opening: null, openedAt: Infinity }
    last = attempt
    attempt.opening ??= open(attempt.key).then(
      (opened) => {
        attempt.openedAt = Date.now()
        return opened
      },
      (error: unknown) => {
        attempt.opening = null
        throw error
      },
    )
    return attempt.opening
  }
}
