import { PaywallError } from '../error.ts'
import type { User } from '../user.ts'
import type { WatchedUser } from './watched-user.ts'

/** The pause between two reads of the user, in milliseconds. It doubles each time, up to the maximum. */
const PAUSE_MS = 500
const MAX_PAUSE_MS = 4_000

/** Reads the user until it shows what is awaited. False if it has not after `waitMs`, or if nobody is signed in. */
export async function pollUser(
  watched: WatchedUser,
  waitMs: number,
  isShown: (user: User) => boolean,
): Promise<boolean> {
  const deadline = Date.now() + waitMs
  for (let pause = PAUSE_MS; watched.user; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    if (isShown(watched.user)) return true
    if (Date.now() + pause > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, pause))
    await watched.refresh().catch(ignoreFailedCall)
  }
  return false
}

/** A failed call does not end the wait: the next one may succeed. Other errors are bugs. */
function ignoreFailedCall(error: unknown): void {
  if (!(error instanceof PaywallError)) throw error
}
