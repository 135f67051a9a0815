import type { CallOptions } from '../client.ts'
import type { UserState } from '../schemas.ts'
import { toUser, type User } from '../user.ts'
import { PROPAGATION_MS } from './store.ts'

/** Called with the signed-in user; null if nobody is signed in. */
export type Listener = (user: User | null) => void

/** The signed-in user as last read. Notifies listeners and other tabs of each change. */
export class WatchedUser {
  #user: User | null = null
  /** The number of the last read, and of the one that is shown. Results of earlier reads are discarded. */
  #reads = 0
  #shown = 0
  readonly #listeners = new Set<Listener>()
  readonly #read: (options: CallOptions) => Promise<User | null>
  readonly #broadcast: (user: UserState | null) => void

  constructor(read: (options: CallOptions) => Promise<User | null>, broadcast: (user: UserState | null) => void) {
    this.#read = read
    this.#broadcast = broadcast
  }

  get user(): User | null {
    return this.#user
  }

  /** Reads the user again. */
  async refresh({ isRemote = false, ...options }: CallOptions & { isRemote?: boolean } = {}): Promise<User | null> {
    const read = ++this.#reads
    const user = await this.#read(options)
    if (read > this.#shown) this.#show(read, user, isRemote)
    return this.#user
  }

  /**
   * Handles another tab's change. For the same user its state is used. Otherwise this tab reads its own user, because tabs may have
   * different sessions; if that fails, the next read catches up.
   */
  handleMessage(user: UserState | null): void {
    const read = () => void this.refresh({ isRemote: true }).catch(() => undefined)
    if (user && user.user?.id === this.#user?.user?.id) this.set(toUser(user), { isRemote: true })
    else setTimeout(read, PROPAGATION_MS)
  }

  set(user: User | null, { isRemote = false } = {}): void {
    this.#show(++this.#reads, user, isRemote)
  }

  /** Calls `listener` now and after each change. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    listener(this.#user)
    return () => void this.#listeners.delete(listener)
  }

  /** Notifies listeners in microtasks, so that one that throws does not break the call that made the change. */
  notify(): void {
    for (const listener of this.#listeners) queueMicrotask(() => this.#listeners.has(listener) && listener(this.#user))
  }

  #show(read: number, user: User | null, isRemote: boolean): void {
    this.#shown = read
    const isSame = JSON.stringify(user) === JSON.stringify(this.#user)
    this.#user = user
    if (isSame) return
    this.notify()
    if (!isRemote) this.#broadcast(user)
  }
}
