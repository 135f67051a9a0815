import { PaywallError } from '../error.ts'
import type { Kept } from './store.ts'
import type { WatchedUser } from './watched-user.ts'

/** How long to wait for a purchase, in milliseconds. A purchase that arrives later appears with the next read. */
const MAX_WAIT_MS = 30_000
/** The pause between two reads of the user, in milliseconds. It doubles each time, up to the maximum. */
const PAUSE_MS = 500
const MAX_PAUSE_MS = 4_000

/** Waits for the purchase of a buyer who has returned from checkout. */
export class PurchaseWait {
  #running: Promise<boolean> | null = null
  readonly #watched: WatchedUser
  /** The ids of the user's purchases when the hosted page was opened; null if it was not opened here. */
  readonly #before: Kept<string[]>

  constructor(watched: WatchedUser, before: Kept<string[]>) {
    this.#watched = watched
    this.#before = before
  }

  get isWaiting(): boolean {
    return this.#running !== null
  }

  /** Stores the user's purchases before another one. */
  remember(): void {
    this.#before.write(this.#watched.user?.purchases.map(({ id }) => id) ?? [])
  }

  /** Polls until the purchase has arrived. False after 30 seconds, or if nobody is signed in. */
  run(): Promise<boolean> {
    if (this.#running) return this.#running
    let hasArrived = false
    const poll = async () => {
      hasArrived = await this.#poll(Date.now() + MAX_WAIT_MS)
      return hasArrived
    }
    this.#running = poll().finally(() => {
      this.#before.write(null)
      this.#running = null
      this.#watched.notify(hasArrived ? 'purchased' : 'not_purchased')
    })
    this.#watched.notify('waiting')
    return this.#running
  }

  async #poll(deadline: number): Promise<boolean> {
    for (let pause = PAUSE_MS; !this.#hasArrived(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      if (!this.#watched.user || Date.now() + pause > deadline) return false
      await new Promise((resolve) => setTimeout(resolve, pause))
      await this.#watched.refresh().catch(ignoreFailedCall)
    }
    return true
  }

  #hasArrived(): boolean {
    const { user } = this.#watched
    const before = this.#before.read()
    if (!user || !before) return user?.paid ?? false
    return user.purchases.some(({ id, status }) => status !== 'pending' && !before.includes(id))
  }
}

/** A failed call does not end the wait: the next one may succeed. Other errors are bugs. */
function ignoreFailedCall(error: unknown): void {
  if (!(error instanceof PaywallError)) throw error
}
