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
  /** `first` is the path that the key was first used for. */
  refuse(misuse: Misuse, request: { key: string; path: string; first: string }): Error
}

/**
 * What is wrong with a key: it was first used for another path, or with other parameters; or the first request with it is still
 * under way.
 */
export type Misuse = 'too_long' | 'of_other_path' | 'of_other_parameters' | 'in_use'

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
    forgetOld(request.account, now)
    const stored = replies.get(id) ?? null
    const misuse = misuseOf(request, stored)
    if (misuse) throw rules.refuse(misuse, { ...request, first: stored?.path ?? request.path })
    if (!stored) running.add(id)
    return stored
  }

  function misuseOf(request: KeyedRequest, stored: ReplyRecord | null): Misuse | null {
    if (request.key.length > rules.longestKey) return 'too_long'
    if (!stored) return running.has(idOf(request)) ? 'in_use' : null
    if (stored.path !== request.path) return 'of_other_path'
    return stored.fingerprint === request.fingerprint ? null : 'of_other_parameters'
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
