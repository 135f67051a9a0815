import type { CallOptions } from '../client.ts'
import type { UserState } from '../schemas.ts'
import { toUser, type User } from '../user.ts'
import { SPREADS_MS } from './store.ts'

/** Hears who is signed in, with what the user has; null: nobody. */
export type Listener = (user: User | null) => void

/** What is known of whoever is signed in. Each change is told. */
export class WatchedUser {
  #user: User | null = null
  /** How many reads have begun, and which of them is shown: none that began before it is any more. */
  #reads = 0
  #shown = 0
  readonly #listeners = new Set<Listener>()
  readonly #read: (options: CallOptions) => Promise<User | null>
  readonly #tellTabs: (user: UserState | null) => void

  constructor(read: (options: CallOptions) => Promise<User | null>, tellTabs: (user: UserState | null) => void) {
    this.#read = read
    this.#tellTabs = tellTabs
  }

  get user(): User | null {
    return this.#user
  }

  /** Reads the user anew. */
  async refresh({ heard = false, ...options }: CallOptions & { heard?: boolean } = {}): Promise<User | null> {
    const read = ++this.#reads
    const user = await this.#read(options)
    if (read > this.#shown) this.#show(read, user, heard)
    return this.#user
  }

  /**
   * Another tab tells of a change. What it says of the same user is true; of anybody else this tab sees for itself, since tabs need
   * not share a session. If nothing can be read then, the next read tells.
   */
  hear(news: UserState | null): void {
    const look = () => void this.refresh({ heard: true }).catch(() => undefined)
    if (news && news.user?.id === this.#user?.user?.id) this.set(toUser(news), { heard: true })
    else setTimeout(look, SPREADS_MS)
  }

  set(user: User | null, { heard = false } = {}): void {
    this.#show(++this.#reads, user, heard)
  }

  /** Calls `listener` now and after each change. Gives the function that ends this. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    listener(this.#user)
    return () => void this.#listeners.delete(listener)
  }

  /** A listener that throws must not break the call that made the change. */
  tell(): void {
    for (const listener of this.#listeners) queueMicrotask(() => this.#listeners.has(listener) && listener(this.#user))
  }

  #show(read: number, user: User | null, heard: boolean): void {
    this.#shown = read
    const isSame = JSON.stringify(user) === JSON.stringify(this.#user)
    this.#user = user
    if (isSame) return
    this.tell()
    if (!heard) this.#tellTabs(user)
  }
}
