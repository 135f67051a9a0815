import type { Outcome } from '../core/api.ts'
import { OrderedFailure } from '../core/calls.ts'
import type { StoredReply } from '../core/idempotency.ts'
import type { Answer } from '../core/server.ts'
import { StripeError } from './errors.ts'
import { API_VERSION } from './objects/event.ts'

/** What running a call came to, refusals and failures included. */
export function attempt(requestId: string, execute: () => object): Outcome {
  try {
    return { answer: answer(200, execute(), requestId), executed: true }
  } catch (error) {
    return errorAnswer(error, requestId)
  }
}

export function errorAnswer(error: unknown, requestId: string): Outcome {
  if (error instanceof StripeError) {
    return { answer: answer(error.status, { error: error.error }, requestId), executed: error.executed }
  }
  if (error instanceof OrderedFailure) {
    // Stripe keeps a server error under the idempotency key; a refusal never ran.
    return { answer: answer(error.status, error.body, requestId), executed: error.status >= 500 }
  }
  console.error('stripe emulator: a call failed', error)
  const body = { error: { type: 'api_error', message: 'An unknown error occurred in the emulator.' } }
  return { answer: answer(500, body, requestId), executed: true }
}

/** A stored reply, marked as Stripe marks it. */
export function replay(stored: StoredReply, key: string, requestId: string): Answer {
  const headers = { 'Idempotency-Key': key, 'Idempotent-Replayed': 'true', 'Original-Request': stored.requestId }
  return { status: stored.status, headers: { ...standardHeaders(requestId), ...headers }, body: stored.body }
}

const answer = (status: number, body: unknown, requestId: string): Answer => ({
  status,
  headers: standardHeaders(requestId),
  body: JSON.stringify(body, null, 2),
})

const standardHeaders = (requestId: string) => ({
  'Content-Type': 'application/json',
  'Request-Id': requestId,
  'Stripe-Version': API_VERSION,
})
