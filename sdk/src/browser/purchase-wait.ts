import type { User } from '../user.ts'
import { pollUser } from './poll-user.ts'
import type { Kept } from './store.ts'
import type { WatchedUser } from './watched-user.ts'

/** How long to wait for a purchase, in milliseconds. A purchase that arrives later appears with the next read. */
const MAX_WAIT_MS = 30_000

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

  /** Polls until the purchase has arrived, unless a wait is running. False after 30 seconds, or if nobody is signed in. */
  run(isThere = (user: User) => this.#hasArrived(user)): Promise<boolean> {
    if (this.#running) return this.#running
    let hasArrived = false
    const poll = async () => {
      hasArrived = await pollUser(this.#watched, MAX_WAIT_MS, isThere)
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

  #hasArrived(user: User): boolean {
    const before = this.#before.read()
    if (!before) return user.paid
    return user.purchases.some(({ id, status }) => status !== 'pending' && !before.includes(id))
  }
}
