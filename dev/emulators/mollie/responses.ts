import type { Outcome } from '../core/api.ts'
import { OrderedFailure } from '../core/calls.ts'
import type { KeyRules, StoredReply } from '../core/idempotency.ts'
import type { Answer } from '../core/server.ts'
import { errorBody, MollieError } from './errors.ts'

/**
 * Mollie's idempotency of POST requests, as its documentation has it. It says nothing of how long a key may be, nor of
 * any answer that is not kept: "a cached version of the initial response", a refusal too.
 */
export const KEY_RULES: KeyRules = {
  // "Keys older than 1 hour will be removed from our cache."
  keptSeconds: 3600,
  longestKey: 255,
  tooLong: () => new MollieError(400, 'The idempotency key is too long.'),
  otherPath: () => new MollieError(400, 'The idempotency key was used for another endpoint.'),
  otherParameters: () => new MollieError(400, 'The idempotency key was used with other parameters.'),
  inUse: () => new MollieError(409, 'A request with this idempotency key is still being processed.'),
}

/** What running a call came to, refusals and failures included. */
export function attempt(status: number, execute: () => object): Outcome {
  try {
    return { answer: json(status, execute()), executed: true }
  } catch (error) {
    // A refusal that a test has ordered, such as a 429, never ran.
    return { answer: errorAnswer(error), executed: !(error instanceof OrderedFailure && error.status < 500) }
  }
}

export function errorAnswer(error: unknown): Answer {
  if (error instanceof MollieError) return json(error.status, errorBody(error.status, error.message, error.field))
  if (error instanceof OrderedFailure) return json(error.status, error.body)
  console.error('mollie emulator: a call failed', error)
  return json(500, errorBody(500, 'An unknown error occurred in the emulator.'))
}

/** A stored reply, marked as Mollie marks it. */
export function replay({ status, body }: StoredReply): Answer {
  return { status, headers: { ...HEADERS, 'Idempotent-Replayed': 'true' }, body }
}

const HEADERS = { 'Content-Type': 'application/hal+json' }

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: HEADERS,
  body: JSON.stringify(body, null, 2),
})
