import type { Outcome } from '../core/api.ts'
import { OrderedFailure } from '../core/calls.ts'
import type { StoredReply } from '../core/idempotency.ts'
import type { HttpResponse } from '../core/server.ts'
import { StripeError } from './errors.ts'
import { API_VERSION } from './objects/event.ts'

/** Runs a call; what it throws becomes an error response. */
export function attempt(requestId: string, execute: () => object): Outcome {
  try {
    return { response: json(200, execute(), requestId), executed: true }
  } catch (error) {
    return errorResponse(error, requestId)
  }
}

export function errorResponse(error: unknown, requestId: string): Outcome {
  if (error instanceof StripeError) {
    return { response: json(error.status, { error: error.error }, requestId), executed: error.executed }
  }
  if (error instanceof OrderedFailure) {
    // Stripe stores a 5xx under the idempotency key, as of a call that ran. Any other ordered failure did not run.
    return { response: json(error.status, error.body, requestId), executed: error.status >= 500 }
  }
  console.error('stripe emulator: a call failed', error)
  const body = { error: { type: 'api_error', message: 'An unknown error occurred in the emulator.' } }
  return { response: json(500, body, requestId), executed: true }
}

/** A stored response, marked as Stripe marks it. */
export function replay(stored: StoredReply, key: string, requestId: string): HttpResponse {
  const headers = { 'Idempotency-Key': key, 'Idempotent-Replayed': 'true', 'Original-Request': stored.requestId }
  return { status: stored.status, headers: { ...standardHeaders(requestId), ...headers }, body: stored.body }
}

const json = (status: number, body: unknown, requestId: string): HttpResponse => ({
  status,
  headers: standardHeaders(requestId),
  body: JSON.stringify(body, null, 2),
})

const standardHeaders = (requestId: string) => ({
  'Content-Type': 'application/json',
  'Request-Id': requestId,
  'Stripe-Version': API_VERSION,
})
