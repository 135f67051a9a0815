import { PaywallError } from '../error.ts'
import type { Kept } from './store.ts'
import type { WatchedUser } from './watched-user.ts'

/** How long a purchase is waited for, in milliseconds. A webhook that is later than that is told of by the next read. */
const LONGEST_MS = 30_000
/** The pause before the user is read again, in milliseconds; each further one is twice as long, up to the longest. */
const PAUSE_MS = 500
const LONGEST_PAUSE_MS = 4_000

/** Waits for the purchase that a buyer has come back from. */
export class PurchaseWait {
  #running: Promise<boolean> | null = null
  readonly #watched: WatchedUser
  /** The ids of the purchases that the user had when the hosted page was opened; null: it was not opened here. */
  readonly #before: Kept<string[]>

  constructor(watched: WatchedUser, before: Kept<string[]>) {
    this.#watched = watched
    this.#before = before
  }

  get isWaiting(): boolean {
    return this.#running !== null
  }

  /** Remembers which purchases the user has before another one. */
  remember(): void {
    this.#before.write(this.#watched.user?.purchases.map(({ id }) => id) ?? [])
  }

  /** Reads the user until the purchase is there: true; false if it is not after 30 seconds, or if nobody is signed in. */
  run(): Promise<boolean> {
    this.#running ??= this.#untilThere(Date.now() + LONGEST_MS).finally(() => {
      this.#before.write(null)
      this.#running = null
      this.#watched.tell()
    })
    this.#watched.tell()
    return this.#running
  }

  async #untilThere(deadline: number): Promise<boolean> {
    for (let pause = PAUSE_MS; !this.#isThere(); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (!this.#watched.user || Date.now() + pause > deadline) return false
      await new Promise((resolve) => setTimeout(resolve, pause))
      await this.#watched.refresh().catch(unlessMistaken)
    }
    return true
  }

  #isThere(): boolean {
    const { user } = this.#watched
    const before = this.#before.read()
    if (!user || !before) return user?.paid ?? false
    return user.purchases.some(({ id, status }) => status !== 'pending' && !before.includes(id))
  }
}

/** A call that failed is no mistake: the next one may do better. */
function unlessMistaken(error: unknown): void {
  if (!(error instanceof PaywallError)) throw error
}
