import type { CallOptions } from '../client.ts'
import type { UserState } from '../schemas.ts'
import { toUser, type User } from '../user.ts'
import { PROPAGATION_MS } from './store.ts'

/**
 * Why a listener is called: `initial` when it is added; `signed_in`, `signed_out`, `session_ended` (the service no longer accepts the
 * session); `waiting` for a purchase, then `purchased`, or `not_purchased` if it has not arrived in time; `cancelled`; `updated` for any other
 * change.
 */
export type ChangeReason =
  | 'initial'
  | 'signed_in'
  | 'signed_out'
  | 'session_ended'
  | 'waiting'
  | 'purchased'
  | 'not_purchased'
  | 'cancelled'
  | 'updated'

/** Called with the signed-in user, null if nobody is signed in, and with the reason. */
export type Listener = (user: User | null, reason: ChangeReason) => void

/** A change of the user, as it is sent to other tabs. */
export interface UserChange {
  user: UserState | null
  reason: ChangeReason
}

interface Change {
  /** Default: what the change shows. */
  reason?: ChangeReason | undefined
  /** Whether another tab has made it. */
  isRemote?: boolean | undefined
}

/** The signed-in user as last read. Notifies listeners and other tabs of each change. */
export class WatchedUser {
  #user: User | null = null
  /** The number of the last read, and of the one that is shown. Results of earlier reads are discarded. */
  #reads = 0
  #shown = 0
  readonly #listeners = new Set<Listener>()
  /** The last reason that no listener has got: a purchase may arrive before the page adds one. */
  #missed: ChangeReason | undefined
  readonly #read: (options: CallOptions) => Promise<User | null>
  readonly #broadcast: (change: UserChange) => void

  constructor(read: (options: CallOptions) => Promise<User | null>, broadcast: (change: UserChange) => void) {
    this.#read = read
    this.#broadcast = broadcast
  }

  get user(): User | null {
    return this.#user
  }

  /** Reads the user again. */
  async refresh({ isRemote, reason, ...options }: CallOptions & Change = {}): Promise<User | null> {
    const read = ++this.#reads
    const user = await this.#read(options)
    if (read > this.#shown) this.#show(read, user, { isRemote, reason })
    return this.#user
  }

  /**
   * Handles another tab's change. For the same user its state is used. Otherwise this tab reads its own user, because tabs may have
   * different sessions; if that fails, the next read catches up.
   */
  handleMessage({ user, reason }: UserChange): void {
    const change = { isRemote: true, reason: reason === 'initial' ? undefined : reason }
    const read = () => void this.refresh(change).catch(() => undefined)
    if (user && user.user?.id === this.#user?.user?.id) this.set(toUser(user), change)
    else setTimeout(read, PROPAGATION_MS)
  }

  set(user: User | null, change: Change): void {
    this.#show(++this.#reads, user, change)
  }

  /** Calls `listener` now and after each change. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    listener(this.#user, this.#missed ?? 'initial')
    this.#missed = undefined
    return () => void this.#listeners.delete(listener)
  }

  /** Notifies listeners in microtasks, so that one that throws does not break the call that made the change. */
  notify(reason: ChangeReason): void {
    if (this.#listeners.size === 0) this.#missed = reason
    for (const listener of this.#listeners)
      queueMicrotask(() => this.#listeners.has(listener) && listener(this.#user, reason))
  }

  #show(read: number, user: User | null, { isRemote, reason = changeReason(this.#user, user) }: Change): void {
    this.#shown = read
    const isSame = JSON.stringify(user) === JSON.stringify(this.#user)
    this.#user = user
    if (isSame) return
    this.notify(reason)
    if (!isRemote) this.#broadcast({ user, reason })
  }
}

/** Why a read shows another user than before. */
function changeReason(before: User | null, after: User | null): ChangeReason {
  if (before?.user?.id === after?.user?.id) return 'updated'
  return after ? 'signed_in' : 'signed_out'
}
