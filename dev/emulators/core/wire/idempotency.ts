import type { ReplyRecord } from '../domain/records.ts'

export interface KeyedRequest {
  account: string
  key: string
  path: string
  /** The same for the same parameters. */
  fingerprint: string
}

export type StoredReply = Pick<ReplyRecord, 'status' | 'body' | 'requestId'>

/** What differs between processors: how long a key is kept, and what the response to its misuse is. */
export interface KeyRules {
  keptSeconds: number
  longestKey: number
  tooLong: () => Error
  /** The key was first used for another path or with other parameters. */
  otherPath: (request: KeyedRequest, first: string) => Error
  otherParameters: (request: KeyedRequest) => Error
  /** The first request with this key is still under way. */
  inUse: (request: KeyedRequest) => Error
}

/** The idempotency keys of an emulator: `replies` has the stored response of each. */
export function idempotency(replies: Map<string, ReplyRecord>, rules: KeyRules) {
  const running = new Set<string>()
  const idOf = ({ account, key }: KeyedRequest) => `${account} ${key}`

  /**
   * The stored response of a key that was used before; else null: the caller runs the request, and holds the key until
   * `giveUp`.
   */
  function claim(request: KeyedRequest, now: number): StoredReply | null {
    const id = idOf(request)
    if (request.key.length > rules.longestKey) throw rules.tooLong()
    forgetOld(request.account, now)
    const stored = replies.get(id)
    if (stored && stored.path !== request.path) throw rules.otherPath(request, stored.path)
    if (stored && stored.fingerprint !== request.fingerprint) throw rules.otherParameters(request)
    if (stored) return stored
    if (running.has(id)) throw rules.inUse(request)
    running.add(id)
    return null
  }

  function keep(request: KeyedRequest, reply: StoredReply, now: number): void {
    const { path, fingerprint } = request
    const id = idOf(request)
    replies.set(id, { id, created: now, path, fingerprint, ...reply })
  }

  /** Each account has a clock of its own, so only its own keys can be told to be old. */
  function forgetOld(account: string, now: number): void {
    for (const { id, created } of replies.values()) {
      if (id.startsWith(`${account} `) && created <= now - rules.keptSeconds) replies.delete(id)
    }
  }

  const giveUp = (request: KeyedRequest) => running.delete(idOf(request))

  return { claim, keep, giveUp }
}
