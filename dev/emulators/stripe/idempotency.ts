import { hash } from 'node:crypto'
import { StripeError } from './errors.ts'
import type { Records } from './records.ts'

/** Stripe forgets a key after a day. */
const KEPT_SECONDS = 24 * 3600
const LONGEST_KEY = 255

export interface KeyedRequest {
  account: string
  key: string
  path: string
  /** The encoded form. */
  body: string
}

export interface StoredReply {
  status: number
  body: string
  requestId: string
}

/** Stripe's idempotency of POST requests, over the replies that are kept. */
export function idempotency(replies: Records['replies']) {
  const running = new Set<string>()
  const idOf = ({ account, key }: KeyedRequest) => `${account} ${key}`

  /** The reply to repeat; null when the request is to run, and then nobody else may use its key until `release`. */
  function claim(request: KeyedRequest): StoredReply | null {
    const id = idOf(request)
    if (request.key.length > LONGEST_KEY) throw keyError('Idempotency keys must be at most 255 characters long.')
    const stored = replies.get(id)
    if (stored && stored.path !== request.path) throw keyError(otherPath(request, stored.path))
    if (stored && stored.fingerprint !== fingerprint(request)) throw keyError(otherParameters(request.key))
    if (stored) return stored
    if (running.has(id)) throw inUse(request.key)
    running.add(id)
    return null
  }

  function keep(request: KeyedRequest, reply: StoredReply, now: number): void {
    for (const old of replies.values()) {
      if (old.created > now - KEPT_SECONDS) break
      replies.delete(old.id)
    }
    const id = idOf(request)
    replies.set(id, { id, created: now, path: request.path, fingerprint: fingerprint(request), ...reply })
  }

  const release = (request: KeyedRequest) => running.delete(idOf(request))

  return { claim, keep, release }
}

/** The same parameters in another order are the same request. */
const fingerprint = ({ body }: KeyedRequest) => hash('sha256', JSON.stringify([...new URLSearchParams(body)].sort()))

const keyError = (message: string) => new StripeError(400, { type: 'idempotency_error', message }, false)

const otherParameters = (key: string) =>
  `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`

const otherPath = ({ key, path }: KeyedRequest, first: string) =>
  `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${first}'). Try using a key other than '${key}' if you meant to execute a different request.`

const inUse = (key: string) =>
  new StripeError(
    409,
    {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    },
    false,
  )
