import type { ReplyRecord } from '../domain/records.ts'

export interface KeyedRequest {
  account: string
  key: string
  path: string
  /** Equal for equal parameters. */
  fingerprint: string
}

export type StoredReply = Pick<ReplyRecord, 'status' | 'body' | 'requestId'>

/** The differences between processors: how long keys are kept, and the errors for misused keys. */
export interface KeyRules {
  keptSeconds: number
  longestKey: number
  /** `first`: the path for which the key was first used. */
  refuse(misuse: Misuse, request: { key: string; path: string; first: string }): Error
}

/**
 * How a key is misused: it is too long, was first used for another path or with other parameters, or its first request is still
 * running.
 */
export type Misuse = 'too_long' | 'of_other_path' | 'of_other_parameters' | 'in_use'

/** The idempotency keys of an emulator. `replies` has their stored responses. */
export function idempotency(replies: Map<string, ReplyRecord>, rules: KeyRules) {
  const running = new Set<string>()
  const toId = ({ account, key }: KeyedRequest) => `${account} ${key}`

  /**
   * Returns the stored response of a used key. Otherwise claims the key until `giveUp` and returns null: the caller runs the
   * request.
   */
  function claim(request: KeyedRequest, now: number): StoredReply | null {
    const id = toId(request)
    deleteOld(request.account, now)
    const stored = replies.get(id) ?? null
    const misuse = findMisuse(request, stored)
    if (misuse) throw rules.refuse(misuse, { ...request, first: stored?.path ?? request.path })
    if (!stored) running.add(id)
    return stored
  }

  function findMisuse(request: KeyedRequest, stored: ReplyRecord | null): Misuse | null {
    if (request.key.length > rules.longestKey) return 'too_long'
    if (!stored) return running.has(toId(request)) ? 'in_use' : null
    if (stored.path !== request.path) return 'of_other_path'
    return stored.fingerprint === request.fingerprint ? null : 'of_other_parameters'
  }

  function keep(request: KeyedRequest, reply: StoredReply, now: number): void {
    const { path, fingerprint } = request
    const id = toId(request)
    replies.set(id, { id, created: now, path, fingerprint, ...reply })
  }

  /** Deletes only this account's old keys, because each account has its own clock. */
  function deleteOld(account: string, now: number): void {
    for (const { id, created } of replies.values()) {
      if (id.startsWith(`${account} `) && created <= now - rules.keptSeconds) replies.delete(id)
    }
  }

  const giveUp = (request: KeyedRequest) => running.delete(toId(request))

  return { claim, keep, giveUp }
}
