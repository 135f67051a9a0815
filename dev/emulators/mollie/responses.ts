import type { Outcome } from '../core/api.ts'
import { OrderedFailure } from '../core/calls.ts'
import type { StoredReply } from '../core/idempotency.ts'
import type { HttpResponse } from '../core/server.ts'
import { errorBody, MollieError } from './errors.ts'

/** Runs a call; what it throws becomes an error response. `status` is that of success. */
export function attempt(status: number, execute: () => object): Outcome {
  try {
    return { response: json(status, execute()), executed: true }
  } catch (error) {
    // Mollie stores every response under the idempotency key. An ordered failure below 500, such as a 429, did not run.
    return { response: errorResponse(error), executed: !(error instanceof OrderedFailure && error.status < 500) }
  }
}

export function errorResponse(error: unknown): HttpResponse {
  if (error instanceof MollieError) return json(error.status, errorBody(error.status, error.message, error.field))
  if (error instanceof OrderedFailure) return json(error.status, error.body)
  console.error('mollie emulator: a call failed', error)
  return json(500, errorBody(500, 'An unknown error occurred in the emulator.'))
}

/** A stored response, marked as Mollie marks it. */
export function replay({ status, body }: StoredReply): HttpResponse {
  return { status, headers: { ...HEADERS, 'Idempotent-Replayed': 'true' }, body }
}

const HEADERS = { 'Content-Type': 'application/hal+json' }

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: HEADERS,
  body: JSON.stringify(body, null, 2),
})
